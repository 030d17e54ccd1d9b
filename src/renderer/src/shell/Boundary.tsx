/** Keeps an error of one part inside that part: the rest of the window stays usable, the part says what happened and can be tried again. */
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { copyText } from '../memory/copy'
import { Icon } from './icons'

interface Props {
  /** What the part is called on the screen. */
  readonly name: string
  /** When one of these changes (another session, another selection), the part gets a fresh start. */
  readonly resetOn?: readonly unknown[]
  readonly children: ReactNode
}
interface State {
  readonly error: Error | null
}

export class Boundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(e: unknown): State {
    return { error: e instanceof Error ? e : new Error(String(e)) }
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(`${this.props.name}:`, error, info.componentStack)
  }

  override componentDidUpdate(prev: Props): void {
    const now = this.props.resetOn ?? []
    if (this.state.error && (prev.resetOn ?? []).some((v, i) => !Object.is(v, now[i]))) this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    const text = `${this.props.name}: ${error.stack ?? error.message}`
    return (
      <div className="fill" role="alert">
        <Icon name="error" className="err" />
        <h3>{this.props.name} could not be shown</h3>
        <p className="selectable">{error.message}</p>
        <p>The rest of the window is not affected.</p>
        <div className="acts">
          <button className="btn" onClick={() => this.setState({ error: null })}>
            <Icon name="retry" size={12} />
            Try again
          </button>
          <button className="btn quiet" onClick={() => void copyText(text)}>
            <Icon name="copy" size={12} />
            Copy report
          </button>
        </div>
      </div>
    )
  }
}
