/** Files and folders dropped anywhere in the window. */
import { openDropped } from '../commands/open'
import { notify, useUi } from './ui'

const hasFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes('Files') ?? false

/** Starts listening. Answers a function that stops it. */
export function acceptDrops(target: Window = window): () => void {
  // Enter and leave come for every element that the pointer crosses; the drag has left when as many left as were entered.
  let depth = 0
  const show = (n: number): void => {
    depth = Math.max(0, n)
    useUi.setState({ dropping: depth > 0 })
  }
  const on = {
    dragenter: (e: DragEvent) => hasFiles(e) && show(depth + 1),
    dragleave: (e: DragEvent) => hasFiles(e) && show(depth - 1),
    dragover: (e: DragEvent) => {
      if (!hasFiles(e)) return
      e.preventDefault()
      if (e.dataTransfer) e.dataTransfer.dropEffect = 'copy'
    },
    drop: (e: DragEvent) => {
      if (!hasFiles(e)) return
      e.preventDefault()
      show(0)
      const files = e.dataTransfer?.files
      const file = files?.[0]
      if (!file) return
      if (files.length > 1) notify({ icon: 'info', title: `Opening ${file.name} only`, detail: 'One folder or file is shown at a time.' })
      void openDropped(file)
    },
  }
  for (const [type, f] of Object.entries(on)) target.addEventListener(type, f as EventListener)
  return () => {
    for (const [type, f] of Object.entries(on)) target.removeEventListener(type, f as EventListener)
  }
}
