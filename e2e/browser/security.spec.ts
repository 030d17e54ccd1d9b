/** Who and what the browser shell refuses, on the running program. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { dial, exchange, makeSample, rawGet, removeTemp, serve, type Served, tempDir } from '../helpers'

let served: Served
let root: string
let outside: string
const TRACE = '{"traceEvents":[{"ph":"X","name":"secret event","ts":1,"dur":1,"pid":1,"tid":1}]}'

test.beforeAll(async () => {
  const folder = tempDir()
  root = makeSample({ ranks: 1, steps: 1 }, join(folder, 'profile_output'))
  outside = join(folder, 'outside', 'i-0_pid_1')
  mkdirSync(outside, { recursive: true })
  writeFileSync(join(outside, 'trace.json'), TRACE)
  // Links out of the root: a session folder, a file beside others, one that goes up.
  symlinkSync(outside, join(root, 'i-0_pid_99'))
  mkdirSync(join(root, 'i-1_pid_5/1700000000000000000'), { recursive: true })
  symlinkSync(join(outside, 'trace.json'), join(root, 'i-1_pid_5/1700000000000000000/trace.json'))
  symlinkSync('../..', join(root, 'up'))
  served = await serve([root])
})
test.afterAll(async () => {
  expect(await served.stop()).toBe(0)
  removeTemp()
})

test('the wrong token, none, or one in the address', async ({ page }) => {
  await expect(dial(served, { token: 'A'.repeat(43) })).rejects.toThrow(/401/)
  await expect(dial(served, { token: served.token.slice(0, -1) })).rejects.toThrow(/401/)
  await expect(dial(served, { token: null })).rejects.toThrow(/401/)
  // What it is exchanged for: the one without the other, or another one.
  for (const wrong of [
    { cookie: 'a=b' },
    { cookie: `neuron-workbench-${served.port}=${'A'.repeat(43)}` },
    { key: 'A'.repeat(43) },
    { key: served.token },
  ])
    await expect(dial(served, wrong)).rejects.toThrow(/401/)
  expect((await rawGet(served, `/check?token=${served.token}`)).status).toBe(401)
  await page.goto(served.url.replace(/token=.*/, `token=${'A'.repeat(43)}`))
  await expect(page.getByText('The key of this address is not the one of the running program').first()).toBeVisible()
  const other = await page.context().newPage()
  await other.goto(served.url.replace(/#.*/, ''))
  await expect(other.getByText('This address carries no key').first()).toBeVisible()
})

test('a wrong Host, as a name that was pointed at this machine has it', async () => {
  for (const host of [
    'evil.example',
    `evil.example:${served.port}`,
    '127.0.0.1',
    `0.0.0.0:${served.port}`,
    `127.0.0.1:${served.port + 1}`,
    `[::1]:${served.port}`,
  ]) {
    expect([host, (await rawGet(served, '/', { host })).status]).toEqual([host, 421])
    await expect(dial(served, { host, origin: `http://${host}` })).rejects.toThrow(/421/)
  }
  expect((await rawGet(served, '/', { host: `localhost:${served.port}` })).status).toBe(200)
})

test('a wrong Origin, even with the token', async () => {
  for (const origin of ['http://evil.example', 'null', `http://localhost:${served.port}`, `https://127.0.0.1:${served.port}`, null])
    await expect(dial(served, { origin })).rejects.toThrow(/403/)
  const { cookie, key } = await exchange(served)
  const token = { authorization: `Bearer ${served.token}` }
  expect((await rawGet(served, '/auth', { ...token, origin: 'http://evil.example' }, 'POST')).status).toBe(403)
  expect((await rawGet(served, '/auth', { ...token, 'sec-fetch-site': 'same-site' }, 'POST')).status).toBe(403)
  const headers = { authorization: `Bearer ${key}`, cookie }
  expect((await rawGet(served, '/check', { ...headers, origin: 'http://evil.example' })).status).toBe(403)
  expect((await rawGet(served, '/check', { ...headers, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await rawGet(served, '/check', headers)).status).toBe(204)
})

test('another site in the same browser, even when it knows token and key and the browser holds the cookie', async ({ page }) => {
  await page.goto(served.url)
  await expect(page.getByText('profile_output').first()).toBeVisible()
  const { key } = await exchange(served)
  const evil = createServer((_req, res) =>
    res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title><p>evil</p>'),
  )
  await new Promise<void>(ok => evil.listen(0, '127.0.0.1', ok))
  try {
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`)
    const html = (await rawGet(served, '/')).body
    const script = /src="\.?(\/[^"]+\.js)"/.exec(html)?.[1]
    expect(script).toBeDefined()
    const found = await page.evaluate(
      async ({ port, token, key, script }) => {
        const here = `http://127.0.0.1:${port}`
        const tried = (p: Promise<unknown>): Promise<string> =>
          p.then(
            () => 'got it',
            () => 'refused',
          )
        const load = (tag: 'script' | 'img', src: string): Promise<string> =>
          new Promise(ok => {
            const e = Object.assign(document.createElement(tag), { src, onload: () => ok('got it'), onerror: () => ok('refused') })
            document.body.append(e)
          })
        const frame = Object.assign(document.createElement('iframe'), { src: `${here}/#token=${token}` })
        document.body.append(frame)
        await new Promise(ok => setTimeout(ok, 500))
        let framed: string
        try {
          framed = frame.contentDocument ? 'readable' : 'closed'
        } catch {
          framed = 'closed'
        }
        return {
          socket: await new Promise(ok => {
            const s = new WebSocket(`ws://127.0.0.1:${port}/socket`, ['neuron-workbench.1', `key.${key}`])
            s.onopen = () => ok('open')
            s.onerror = () => ok('refused')
          }),
          check: await tried(fetch(`${here}/check`, { headers: { authorization: `Bearer ${key}` }, credentials: 'include' })),
          auth: await tried(
            fetch(`${here}/auth`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, credentials: 'include' }),
          ),
          simple: await tried(
            fetch(`${here}/auth`, { method: 'POST', mode: 'no-cors', credentials: 'include' }).then(r =>
              r.text().then(t => t || Promise.reject(new Error('opaque'))),
            ),
          ),
          page: await tried(fetch(`${here}/`)),
          opaque: await tried(fetch(`${here}/`, { mode: 'no-cors' })),
          script: await load('script', here + script),
          framed,
        }
      },
      { port: served.port, token: served.token, key, script: script! },
    )
    expect(found).toEqual({
      socket: 'refused',
      check: 'refused',
      auth: 'refused',
      simple: 'refused',
      page: 'refused',
      opaque: 'refused',
      script: 'refused',
      framed: 'closed',
    })
    // A link on that site may lead to the page; it then has the whole tab, and nothing of the other site.
    await page.evaluate(u => void (location.href = u), served.url)
    await page.waitForURL(`http://127.0.0.1:${served.port}/`)
  } finally {
    evil.close()
  }
})

test('a Host header given twice', async () => {
  const socket = connect(served.port, '127.0.0.1')
  const answer = await new Promise<string>((ok, no) => {
    let got = ''
    socket.on('data', d => (got += String(d)))
    socket.on('close', () => ok(got))
    socket.on('error', no)
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})

test('an address that others reach, unless it is asked for', async () => {
  await expect(serve([root, '--host', '0.0.0.0'])).rejects.toThrow(/ended with 2[^]*--allow-remote/)
  const wide = await serve([root, '--host', '0.0.0.0', '--allow-remote'])
  try {
    await expect.poll(() => wide.log()).toMatch(/Warning: others on the network can reach this program[^]*plain HTTP[^]*ssh -L/)
    for (const host of ['evil.example', `evil.example:${wide.port}`]) expect((await rawGet(wide, '/', { host })).status).toBe(421)
    await expect(dial(wide, { origin: 'http://evil.example' })).rejects.toThrow(/403/)
    const client = await dial(wide)
    expect((await client.request('app.info', {})).shell).toBe('browser')
    client.close()
  } finally {
    expect(await wide.stop()).toBe(0)
  }
})

test('too many requests of one page', async () => {
  const client = await dial(served)
  const flood = await Promise.all(
    Array.from({ length: 400 }, () =>
      client.send('root.get', {}).then(
        () => 'answered',
        (e: Error) => e.message,
      ),
    ),
  )
  const refused = flood.filter(f => f !== 'answered')
  for (const r of refused) expect(r).toMatch(/^Too many requests/)
  expect(flood.length - refused.length).toBeGreaterThanOrEqual(100)
  expect((await client.request('app.info', {})).shell).toBe('browser')
  client.close()
})

test('paths that lead out of the bundle', async () => {
  for (const path of [
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '/assets/../../main/cli.js',
    '//etc/passwd',
    '/etc/passwd',
    '/..\\..\\package.json',
    '/.built',
  ]) {
    const { status, body } = await rawGet(served, path)
    expect([path, status]).toEqual([path, 404])
    expect(body).not.toContain('neuron-workbench')
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await rawGet(served, '/', {}, method)).status).toBe(405)
})

test('every answer has the headers', async () => {
  for (const path of ['/', '/missing', '/check']) {
    const { headers } = await rawGet(served, path)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'$/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(Object.keys(headers).filter(h => h.startsWith('access-control'))).toEqual([])
  }
})

test('the policy of the page holds', async ({ page }) => {
  await page.goto(served.url)
  const found = await page.evaluate(async () => {
    const violated: string[] = []
    document.addEventListener('securitypolicyviolation', e => violated.push(e.effectiveDirective))
    document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.inlineRan = true' }))
    const evaluated = await new Promise(ok =>
      setTimeout(() => {
        try {
          ok((0, eval)('1'))
        } catch (e) {
          ok((e as Error).name)
        }
      }),
    )
    const other = await fetch('http://127.0.0.1:1/').then(
      () => 'fetched',
      () => 'refused',
    )
    await new Promise(ok => setTimeout(ok, 50))
    return { violated, evaluated, other, inline: (globalThis as unknown as { inlineRan?: boolean }).inlineRan === true }
  })
  expect(found).toMatchObject({ evaluated: 'EvalError', other: 'refused', inline: false })
  expect(found.violated).toEqual(expect.arrayContaining(['script-src-elem', 'script-src', 'connect-src']))
})

test('links that lead out of the served folder, and ids that were not handed out', async () => {
  const client = await dial(served)
  try {
    await expect.poll(async () => (await client.request('root.get', {}))?.scanning).toBe(false)
    const state = await client.request('root.get', {})
    const files = state!.catalog.sessions.flatMap(s => s.files.map(f => f.path))
    expect(files.some(f => f.endsWith('trace.json'))).toBe(true)
    expect(files.filter(f => f.includes('pid_99') || f.startsWith('up'))).toEqual([])
    for (const session of state!.catalog.sessions) {
      const view = await client.request('session.open', { session: session.id })
      expect(JSON.stringify(view.tracks)).not.toContain('secret')
    }
    // The picker: the root, its folders, no way up, and what a link out of it leads to can't be opened.
    const roots = await client.request('browse.list', { id: null })
    expect(roots.folder).toBeNull()
    expect(roots.entries.map(e => e.name)).toEqual([realpathSync(root)])
    const inside = await client.request('browse.list', { id: roots.entries[0]!.id })
    expect(inside.folder?.parent ?? null).toBeNull()
    for (const e of inside.entries.filter(e => ['up', 'i-0_pid_99'].includes(e.name))) {
      await expect(client.request('browse.list', { id: e.id })).rejects.toThrow(/outside the served folders/)
      expect(await client.request('browse.open', { id: e.id }).catch(() => ({ opened: false }))).toMatchObject({ opened: false })
    }
    for (const id of ['/etc', '../..', outside, 'AAAAAAAAAAAAAAAA']) {
      await expect(client.request('browse.list', { id })).rejects.toThrow()
      expect(await client.request('browse.open', { id }).catch(() => ({ opened: false }))).toMatchObject({ opened: false })
      expect(await client.request('recent.open', { id }).catch(() => ({ opened: false }))).toMatchObject({ opened: false })
    }
    for (const [name, args] of [
      ['file.read', { path: '/etc/passwd' }],
      ['browse.open', { path: '/etc' }],
      ['__proto__', {}],
      [null, null],
      ['export.save', { name: 'x', data: new Uint8Array(1) }],
    ] as const)
      await expect(client.send(name, args)).rejects.toThrow()
    expect((await client.request('app.info', {})).shell).toBe('browser')
  } finally {
    client.close()
  }
})

test('the token leaves the address, and a reload and a second tab keep working', async ({ page, context }) => {
  await page.goto(served.url)
  await expect(page.getByText('profile_output').first()).toBeVisible()
  expect(page.url()).toBe(`http://127.0.0.1:${served.port}/`)
  await page.reload()
  await expect(page.getByText('profile_output').first()).toBeVisible()
  const second = await context.newPage()
  await second.goto(served.url)
  await expect(second.getByText('profile_output').first()).toBeVisible()
  // A tab without the token: the browser has the cookie, the origin the key.
  const third = await context.newPage()
  await third.goto(`http://127.0.0.1:${served.port}/`)
  await expect(third.getByText('profile_output').first()).toBeVisible()
  const [cookie, ...others] = await context.cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({ name: `neuron-workbench-${served.port}`, path: '/', httpOnly: true, sameSite: 'Strict', expires: -1 })
  const kept = await page.evaluate(() => ({
    script: document.cookie,
    storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  }))
  expect(kept.script).toBe('')
  expect(kept.storage).not.toContain(served.token)
  expect(kept.storage).not.toContain(cookie!.value)
  // Another port of this host is handed the cookie, but not the key: that is in the storage of one port.
  await context.clearCookies()
  await third.reload()
  await expect(third.getByText('The key of this address is not the one of the running program').first()).toBeVisible()
  expect(served.log()).not.toContain(served.token)
})
