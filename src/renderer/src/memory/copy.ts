/**
 * Copies text. The desktop shell denies every permission, the clipboard's asynchronous interface among them; copying the selection of a field
 * needs none, so that comes first.
 */
export async function copyText(text: string): Promise<boolean> {
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('readonly', '')
  field.style.cssText = 'position:fixed;opacity:0;pointer-events:none'
  const back = document.activeElement
  // Inside an open dialog everything else is inert.
  const host = document.querySelector('dialog[open]') ?? document.body
  host.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (back instanceof HTMLElement) back.focus()
  if (done) return true
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
