/**
 * What a screen reader is told about the cursor: panels write one sentence ("1,129.418 ms, 11.40 GiB active, 7 allocations of mlp.fc1"),
 * the frame speaks it when the cursor has rested.
 */
import { create } from 'zustand'

interface LiveState {
  readonly text: string
}

export const useLive = create<LiveState>()(() => ({ text: '' }))

/** Replaces the description of the cursor. Cheap: call it as often as the cursor moves. */
export const describeCursor = (text: string): void => {
  if (useLive.getState().text !== text) useLive.setState({ text })
}
