/** Placeholder until the dialog is there. */
import type { ReactElement } from 'react'

export const ExportDialog = ({ onClose }: { readonly onClose: () => void }): ReactElement => <dialog open onClick={onClose} />
