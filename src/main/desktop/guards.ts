/** What the page may not do: get a permission, leave, open a window, embed another page. Everything is denied; there is no list of exceptions. */
import type { App, Session, WebContents } from 'electron'

/** Denies all permissions. Electron grants each one without these handlers. */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
}

/** Keeps every page that this program ever makes where it was loaded. */
export function confineContents(app: App, log: (line: string) => void): void {
  app.on('web-contents-created', (_event, contents: WebContents) => {
    contents.on('will-navigate', event => {
      event.preventDefault()
      log(`navigation denied: ${event.url.slice(0, 200)}`)
    })
    contents.on('will-redirect', event => event.preventDefault())
    contents.on('will-attach-webview', event => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
