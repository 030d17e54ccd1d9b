/** All keys, read from the registry, and what the mouse does. */
import type { ReactElement } from 'react'
import { GROUPS } from '../commands/command'
import { keyCaps } from '../commands/keys'
import { COMMANDS } from '../commands/registry'
import { Modal } from './Modal'

const MOUSE: readonly (readonly [string, string])[] = [
  ['Pin a slice or an allocation', 'click'],
  ['Select and measure a range', 'drag'],
  ['Adjust the range', 'drag its ends on the axis'],
  ['Without being drawn to edges', 'Alt drag'],
  ['Put a mark', 'click in the row of marks'],
  ['Move a mark, name it', 'drag, double click'],
  ['Move', 'Shift drag'],
  ['Zoom at the pointer', 'Ctrl wheel'],
  ['Scroll the tracks', 'wheel'],
  ['Move in time', 'Shift wheel'],
]

const TOUCH: readonly (readonly [string, string])[] = [
  ['Move, scroll the tracks', 'one finger'],
  ['Zoom', 'two fingers'],
  ['Select', 'tap'],
  ['What is there; then measure', 'long press'],
]

const FOCUSED: readonly (readonly [string, readonly string[]])[] = [
  ['From track to track', ['↑', '↓']],
  ['From slice to slice; open or close a group', ['←', '→']],
  ['Select the slice', ['Enter']],
  ['Select a range from the cursor on', ['Shift', '←', '→']],
  ['In the navigator: move, or resize', ['←', '→', 'Shift']],
]

const Row = ({ title, caps }: { readonly title: string; readonly caps: readonly string[] }): ReactElement => (
  <li>
    <span>{title}</span>
    <span className="caps">
      {caps.map(k => (
        <kbd key={k}>{k}</kbd>
      ))}
    </span>
  </li>
)

export function Help({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Modal title="Keys and mouse" className="help" onClose={onClose}>
      <div className="keys" role="group" aria-label="All keys" tabIndex={0}>
        {GROUPS.map(g => {
          const list = COMMANDS.filter(c => c.group === g && c.keys.length)
          return (
            list.length > 0 && (
              <section key={g} aria-label={g}>
                <h3>{g}</h3>
                <ul>
                  {list.map(c => (
                    <Row key={c.id} title={c.title} caps={keyCaps(c)} />
                  ))}
                </ul>
              </section>
            )
          )
        })}
        <section aria-label="Profiles">
          <h3>Profiles</h3>
          <ul>
            <Row title="Move in the tree" caps={['↑', '↓']} />
            <Row title="Open or close a row" caps={['→', '←']} />
            <Row title="Show a session or a file" caps={['Enter']} />
          </ul>
        </section>
        <section aria-label="With the timeline focused">
          <h3>With the timeline focused</h3>
          <ul>
            {FOCUSED.map(([title, caps]) => (
              <Row key={title} title={title} caps={caps} />
            ))}
          </ul>
        </section>
        <section aria-label="Mouse">
          <h3>Mouse</h3>
          <ul>
            {MOUSE.map(([title, how]) => (
              <Row key={title} title={title} caps={[how]} />
            ))}
          </ul>
        </section>
        <section aria-label="Touch">
          <h3>Touch</h3>
          <ul>
            {TOUCH.map(([title, how]) => (
              <Row key={title} title={title} caps={[how]} />
            ))}
          </ul>
        </section>
      </div>
    </Modal>
  )
}
