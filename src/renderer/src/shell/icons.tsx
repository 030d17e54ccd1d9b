/** Line icons on a 16 px grid, 1.4 px stroke. Decoration only: the control that holds one carries the name. */
import type { ReactElement, ReactNode } from 'react'

const P = {
  folder: <path d="M1.8 4.2c0-.7.5-1.2 1.2-1.2h3l1.5 1.7H13c.7 0 1.2.5 1.2 1.2v6c0 .7-.5 1.2-1.2 1.2H3c-.7 0-1.2-.5-1.2-1.2z" />,
  file: (
    <>
      <path d="M3.6 2.8c0-.5.4-.9.9-.9h4.7l3.2 3.2v8.1c0 .5-.4.9-.9.9h-7c-.5 0-.9-.4-.9-.9z" />
      <path d="M9 2.1v3.2h3.2" />
    </>
  ),
  chevron: <path d="m4.5 6.2 3.5 3.6 3.5-3.6" />,
  right: <path d="m6.2 4.5 3.6 3.5-3.6 3.5" />,
  up: <path d="M8 12.6V3.4M4.4 7 8 3.4 11.6 7" />,
  export: <path d="M8 9.8V2.4M5.2 5 8 2.2 10.8 5M2.6 9.6v2.6c0 .7.5 1.2 1.2 1.2h8.4c.7 0 1.2-.5 1.2-1.2V9.6" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.6v1.5M8 12.9v1.5M1.6 8h1.5M12.9 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M12.5 3.5l-1 1M4.5 11.5l-1 1" />
    </>
  ),
  moon: <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z" />,
  system: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="M8 2.4v11.2a5.6 5.6 0 0 0 0-11.2z" fill="currentColor" />
    </>
  ),
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  pin: <path d="M5.4 2.2h5.2M6.2 2.2v4L4.4 8.6h7.2L9.8 6.2v-4M8 8.6v5" />,
  down: <path d="M8 3.4v9.2M4.4 9 8 12.6 11.6 9" />,
  eye: (
    <>
      <path d="M1.6 8S4 3.8 8 3.8 14.4 8 14.4 8 12 12.2 8 12.2 1.6 8 1.6 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  hidden: <path d="M3 6.2S4.8 9.6 8 9.6s5-3.4 5-3.4M4.4 8.6 3 10.6M8 9.6V12M11.6 8.6l1.4 2" />,
  more: <path d="M3.4 8h.1M8 8h.1M12.6 8h.1" strokeWidth="2" />,
  check: <path d="m3.2 8.4 3.1 3.1 6.5-6.9" />,
  warn: (
    <>
      <path d="M8 2.4 14.2 13H1.8z" />
      <path d="M8 6.4v3M8 11.2v.1" />
    </>
  ),
  error: (
    <>
      <path d="M5.4 1.9h5.2l3.5 3.5v5.2l-3.5 3.5H5.4l-3.5-3.5V5.4z" />
      <path d="m6 6 4 4M10 6l-4 4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.4v3.4M8 5.1v.1" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.4" />
      <path d="m10.3 10.3 3.3 3.3" />
    </>
  ),
  flag: <path d="M3.6 14V2.4h8.2L9.6 5.5l2.2 3.1H3.6" />,
  link: <path d="M6.8 9.2 9.2 6.8M7.4 4.6l1.2-1.2a2.8 2.8 0 0 1 4 4l-1.2 1.2M8.6 11.4l-1.2 1.2a2.8 2.8 0 0 1-4-4l1.2-1.2" />,
  open: <path d="M9 2.6h4.4V7M13.2 2.8 7.6 8.4M6.4 3.6H3.8c-.7 0-1.2.5-1.2 1.2v7.4c0 .7.5 1.2 1.2 1.2h7.4c.7 0 1.2-.5 1.2-1.2V9.6" />,
  copy: (
    <>
      <rect x="5.4" y="5.4" width="8" height="8" rx="1.2" />
      <path d="M10.4 5.2V3.8c0-.7-.5-1.2-1.2-1.2H3.8c-.7 0-1.2.5-1.2 1.2v5.4c0 .7.5 1.2 1.2 1.2h1.4" />
    </>
  ),
  retry: <path d="M13.2 8a5.2 5.2 0 1 1-1.6-3.7l1.6 1.5M13.4 2.6v3.3h-3.3" />,
  pulse: <path d="M1.8 8.2h2.8l1.8-4.8 3 9.2 1.8-4.4h3" />,
  frames: <path d="M2.4 3.6h11.2M2.4 6.6h7M4.4 9.6h7M4.4 12.6h4" />,
  runtime: <path d="M2 4h5v3H2zM9 4h5v3H9zM2 9h3v3H2zM7 9h7v3H7z" />,
  tag: (
    <>
      <rect x="2.6" y="2.6" width="10.8" height="10.8" rx="1.4" />
      <path d="M5.2 6h5.6M5.2 8.4h5.6M5.2 10.8h3" />
    </>
  ),
  cpu: (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1" />
      <path d="M6.2 1.8v2M9.8 1.8v2M6.2 12.2v2M9.8 12.2v2M1.8 6.2h2M1.8 9.8h2M12.2 6.2h2M12.2 9.8h2" />
    </>
  ),
  ram: (
    <>
      <rect x="1.8" y="4.8" width="12.4" height="5.6" rx="1" />
      <path d="M4.6 6.8v1.6M8 6.8v1.6M11.4 6.8v1.6M4 10.6v1.6M8 10.6v1.6M12 10.6v1.6" />
    </>
  ),
  layers: <path d="M8 2.2 14 5.4 8 8.6 2 5.4zM2.4 8.2 8 11.2l5.6-3M2.4 10.8 8 13.8l5.6-3" />,
  chip: (
    <>
      <path d="M3 3.6h10v8.8H3z" />
      <path d="M5.4 6h2v4h-2zM9.2 6h1.6M9.2 8h1.6M9.2 10h1.6" />
    </>
  ),
  wave: <path d="M1.8 11.6h2.4V5h3v6.6h2.6V3h3v8.6h1.4" />,
  checks: <path d="M2.2 4.2 3.4 5.4l2-2.2M7.6 4.4h6.2M2.2 8.2l1.2 1.2 2-2.2M7.6 8.4h6.2M2.2 12.2l1.2 1.2 2-2.2M7.6 12.4h6.2" />,
  filter: <path d="M2.2 3.6h11.6L9.4 8.6v4.2l-2.8-1.4V8.6z" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  peak: <path d="m2 12.6 4-7.8 2.6 4.4L10.6 6l3.4 6.6" />,
  table: (
    <>
      <rect x="2.2" y="3" width="11.6" height="10" rx="1.2" />
      <path d="M2.4 6.4h11.2M6.4 6.4v6.4" />
    </>
  ),
  play: <path d="M5 3.2v9.6l7.6-4.8z" />,
  image: (
    <>
      <rect x="2.2" y="2.8" width="11.6" height="10.4" rx="1.2" />
      <path d="m2.4 11 3.4-3.4 2.6 2.6 2-2 3.2 3" />
      <circle cx="10.6" cy="5.8" r="1" />
    </>
  ),
  keys: (
    <>
      <rect x="1.6" y="4" width="12.8" height="8" rx="1.2" />
      <path d="M4 6.6h.1M6.6 6.6h.1M9.2 6.6h.1M11.8 6.6h.1M5 9.4h6" />
    </>
  ),
  panel: (
    <>
      <rect x="2.2" y="3" width="11.6" height="10" rx="1.2" />
      <path d="M9.8 3.2v9.6" />
    </>
  ),
  tree: (
    <>
      <rect x="2.2" y="3" width="11.6" height="10" rx="1.2" />
      <path d="M6.2 3.2v9.6" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof P

/** A 16 px icon; `size` 12 or 14 for small ones. */
export function Icon({
  name,
  size = 16,
  className = '',
}: {
  readonly name: IconName
  readonly size?: 12 | 14 | 16 | 20
  readonly className?: string
}): ReactElement {
  return (
    <svg viewBox="0 0 16 16" className={`ic s${size} ${className}`} aria-hidden="true" focusable="false">
      {P[name]}
    </svg>
  )
}

/** The product mark: a sawtooth over two tracks. */
export function Logo({ size }: { readonly size: number }): ReactElement {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} className="logo" aria-hidden="true" focusable="false">
      <path className="l1" d="M2 4h7v3H2zM11 4h7v3h-7z" />
      <path className="l2" d="M2 17v-2.4L8 9.4V14l6-5.4V12l4-3v8z" />
    </svg>
  )
}
