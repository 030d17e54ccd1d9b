/**
 * Watches an opened root and says "look again", in batches. It never says what changed: the walk that follows finds out, so that a lost or doubled event
 * of the system costs nothing. Where the system cannot tell of changes (no inotify watches left, network file systems) it looks again by the clock and says so.
 */
import { statfs, stat } from 'node:fs/promises'
import { watch, type FSWatcher } from 'chokidar'

export interface WatcherOptions {
  /** Absolute path of a folder or of a single file. */
  readonly root: string
  /** Levels below the root that are watched. */
  readonly depth: number
  /** True for what the walk would not enter either. */
  readonly ignored: (path: string, isFolder: boolean | null) => boolean
  /** Called once per batch; the next batch waits until it has ended. */
  readonly look: () => Promise<void>
  /** The way of watching changed: what to tell the user (null: all is well). */
  readonly onNotice: (notice: string | null) => void
  readonly batchMs?: number
  readonly pollMs?: number
  /** For tests: stands in for chokidar. */
  readonly watch?: typeof watch
}

const BATCH_MS = 100
const POLL_MS = 800
/** More entries than this are not watched one by one. */
const MAX_WATCHED = 20_000
const TOO_MANY = 'the folder has too many entries to watch one by one; it is looked at every second instead'

/** f_type of file systems whose changes by other machines the system does not report (linux/magic.h and the file systems' sources). */
const REMOTE = new Map<number, string>([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x0bd00bd0, 'Lustre'],
  [0x00c36400, 'Ceph'],
  [0x47504653, 'GPFS'],
])

export class RootWatcher {
  readonly #o: WatcherOptions
  #native: FSWatcher | null = null
  readonly #seen = new Set<string>()
  #poll: NodeJS.Timeout | null = null
  #batch: NodeJS.Timeout | null = null
  #looking = false
  #again = false
  #closed = false
  #tookMs = 0
  #checking = false
  #pulse: NodeJS.Timeout | null = null
  /** Which folder or file the root was when its watch was set up. */
  #identity = ''
  /** The root is not there, or its watch ended. */
  #lost = false

  constructor(options: WatcherOptions) {
    this.#o = options
  }

  /** Starts watching; resolves when the first pass of the system watcher is through, so that nothing written later is missed. */
  async start(): Promise<void> {
    this.#identity = await identity(this.#o.root)
    if (this.#closed) return
    // Watching a folder does not tell that the folder itself went, or that another one took its name.
    this.#pulse ??= setInterval(() => void this.#checkRoot(), this.#o.pollMs ?? POLL_MS)
    const type = await statfs(this.#o.root).then(
      s => s.type,
      () => 0,
    )
    if (this.#closed) return
    const remote = REMOTE.get(type >>> 0)
    if (remote !== undefined) return this.#usePolling(`changes on this ${remote} file system are looked for every second`)
    await this.#useSystem()
  }

  /** Looks again soon; calls within the batch time make one look. */
  nudge(): void {
    if (this.#closed) return
    if (this.#looking) {
      this.#again = true
      return
    }
    // Not restarted by further events: a file that is written all the time must not hold the batch back. A walk that takes long is not asked for without a pause.
    this.#batch ??= setTimeout(() => void this.#look(), Math.max(this.#o.batchMs ?? BATCH_MS, 2 * this.#tookMs))
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#batch) clearTimeout(this.#batch)
    if (this.#poll) clearTimeout(this.#poll)
    if (this.#pulse) clearInterval(this.#pulse)
    this.#batch = this.#poll = this.#pulse = null
    await this.#native?.close()
    this.#native = null
  }

  async #look(): Promise<void> {
    if (this.#batch) clearTimeout(this.#batch)
    this.#batch = null
    this.#looking = true
    const began = performance.now()
    try {
      await this.#o.look()
    } finally {
      this.#looking = false
      this.#tookMs = performance.now() - began
    }
    await this.#checkRoot()
    if (this.#again) {
      this.#again = false
      this.nudge()
    }
  }

  /** The system's watch ends with the folder it stood on; when the root comes back it is set up anew. */
  async #checkRoot(): Promise<void> {
    if (this.#closed) return
    const now = await identity(this.#o.root)
    if (this.#closed || this.#checking) return
    if (!this.#lost && now === this.#identity) return
    this.#checking = true
    try {
      const news = !this.#lost || now !== ''
      this.#lost = now === ''
      await this.#native?.close()
      this.#native = null
      if (now !== '') await this.start()
      else this.#identity = ''
      if (news) this.nudge()
    } finally {
      this.#checking = false
    }
  }

  #usePolling(notice: string): void {
    if (this.#closed) return
    void this.#native?.close()
    this.#native = null
    this.#o.onNotice(notice)
    this.#schedule()
  }

  /** Looks by the clock as long as the system does not watch. */
  #schedule(ms = this.#o.pollMs ?? POLL_MS): void {
    if (this.#closed || this.#poll) return
    this.#poll = setTimeout(() => void this.#tick(), ms)
  }

  async #tick(): Promise<void> {
    const began = performance.now()
    this.#poll = null
    if (!this.#looking) await this.#look()
    // A slow file system is not asked without a pause.
    if (this.#native === null) this.#schedule(Math.max(this.#o.pollMs ?? POLL_MS, 4 * (performance.now() - began)))
  }

  async #useSystem(): Promise<void> {
    if (this.#closed) return
    const native = (this.#o.watch ?? watch)(this.#o.root, {
      ignoreInitial: true,
      followSymlinks: false,
      depth: this.#o.depth,
      ignorePermissionErrors: true,
      // A rename over a file is a change for us in any case.
      atomic: false,
      ignored: (path, stats) => {
        if (path !== this.#o.root && this.#o.ignored(path, stats ? stats.isDirectory() : null)) return true
        if (this.#seen.size > MAX_WATCHED) return !this.#seen.has(path)
        if (stats) this.#seen.add(path)
        return false
      },
    })
    this.#native = native
    native.on('all', (event, path) => {
      // The watch of the root itself is over, even when something of that name is back already.
      if (path === this.#o.root && event.startsWith('unlink')) this.#lost = true
      if (this.#seen.size > MAX_WATCHED && this.#native === native) this.#usePolling(TOO_MANY)
      this.nudge()
    })
    await new Promise<void>(ready => {
      native.once('ready', () => ready())
      native.on('error', e => {
        const code = e instanceof Error && 'code' in e ? String(e.code) : ''
        // A folder that vanished or is closed to us is the walk's business; anything else means that events will be missing.
        if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM') return
        if (this.#native === native) this.#usePolling(reason(code))
        ready()
      })
    })
    if (this.#native !== native) return
    if (this.#seen.size > MAX_WATCHED) this.#usePolling(TOO_MANY)
    else this.#o.onNotice(null)
  }
}

/** Device and inode of a path as text; '' where it is not there. */
const identity = (path: string): Promise<string> =>
  stat(path).then(
    s => `${s.dev}:${s.ino}`,
    () => '',
  )

function reason(code: string): string {
  switch (code) {
    case 'ENOSPC':
      return 'the system has no file watches left (fs.inotify.max_user_watches); the folder is looked at every second instead'
    case 'EMFILE':
    case 'ENFILE':
      return 'the system has no file handles left for watching; the folder is looked at every second instead'
    default:
      return `the system cannot watch this folder (${code || 'unknown error'}); it is looked at every second instead`
  }
}
