/** Entry of the renderer: theme, bridge, stores, window. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './app.css'
import { localTime, num } from '../../shared/format'
import { bridge, connectionState, onConnection } from './bridge'
import { followAnnotations } from './bands/annotations'
import { bindKeys } from './commands/keys'
import { App } from './shell/App'
import { acceptDrops } from './shell/drop'
import { follow } from './shell/follow'
import { followNotes } from './notes/state'
import { followLayout } from './trace/layoutStore'
import { followHistory } from './state/history'
import { connect, resync, useSession } from './state/session'
import { followSpoken } from './state/spoken'
import { startTheme } from './theme'

startTheme()
useSession.setState({ connection: connectionState() })
/** Set between a loss of the connection and the next one: everything may have changed meanwhile and is asked anew. */
let lost = false
onConnection(connection => {
  useSession.setState({ connection })
  if (connection.kind === 'lost') lost = true
  else if (connection.kind === 'open' && lost) {
    lost = false
    void resync()
  }
})
follow()
followHistory()
followNotes()
followAnnotations()
followSpoken()
followLayout()
bindKeys()
acceptDrops()
void connect(bridge)
// The first number and the first date load the tables of their language: while the host's first answer is on its way, not in the task that shows it.
setTimeout(() => num(0))
setTimeout(() => localTime(0))

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
