import { describe, expect, it } from 'vitest'
import { parse, UsageError } from './args'
import { COMMANDS, help, type CommandName } from './help'

describe('arguments', () => {
  it('commands with their options, in any order', () => {
    expect(parse(['inspect', 'a'])).toEqual({ command: 'inspect', path: 'a', json: false })
    expect(parse(['inspect', '--neff-dir', 'b', 'a', '--neff-dir=c'])).toEqual({
      command: 'inspect',
      path: 'a',
      json: false,
      neffDirs: ['b', 'c'],
    })
    expect(parse(['trace', '--json', 'a'])).toEqual({ command: 'trace', path: 'a', json: true })
    expect(parse(['snapshot', '--', '--odd-name'])).toEqual({ command: 'snapshot', path: '--odd-name', json: false })
    expect(parse(['snapshot', '--verify', 'a'])).toEqual({ command: 'snapshot', path: 'a', json: false, verify: true })
    expect(parse(['at', 'a', '--time', '1729888371056597613'])).toEqual({
      command: 'at',
      path: 'a',
      time: 1729888371056597613n,
      json: false,
    })
    expect(parse(['at', '--time=5', '--json', 'a'])).toEqual({ command: 'at', path: 'a', time: 5n, json: true })
    expect(parse(['sample', 'd', '--ranks', '2', '--seed', '0'])).toEqual({ command: 'sample', path: 'd', json: false, ranks: 2, seed: 0 })
    expect(parse(['serve', 'd', '--port', 'x'])).toEqual({ command: 'serve', argv: ['d', '--port', 'x'] })
  })

  it('help and version', () => {
    expect(parse(['--help'])).toEqual({ command: 'help', topic: null })
    expect(parse(['help'])).toEqual({ command: 'help', topic: null })
    expect(parse(['help', 'at'])).toEqual({ command: 'help', topic: 'at' })
    expect(parse(['at', '--help'])).toEqual({ command: 'help', topic: 'at' })
    expect(parse(['serve', '-h'])).toEqual({ command: 'help', topic: 'serve' })
    expect(parse(['--version'])).toEqual({ command: 'version' })
    for (const name of Object.keys(COMMANDS)) {
      expect(help(null)).toContain(`  ${name}`)
      expect(help(name as CommandName)).toContain(`neuron-workbench ${name} `)
    }
  })

  it.each([
    [[]],
    [['frobnicate']],
    [['constructor']],
    [['--json', 'inspect', 'a']],
    [['inspect']],
    [['inspect', '']],
    [['inspect', 'a', 'b']],
    [['inspect', 'a', '--time', '5']],
    [['inspect', '--nope', 'a']],
    [['inspect', 'a', '--neff-dir']],
    [['inspect', 'a', '--neff-dir', '']],
    [['trace', 'a', '--neff-dir', 'b']],
    [['at', 'a']],
    [['at', 'a', '--time']],
    [['at', 'a', '--time', '1e9']],
    [['at', 'a', '--time', '-5']],
    [['at', 'a', '--time', '1.5']],
    [['sample', 'd', '--ranks', 'two']],
    [['help', 'frobnicate']],
    [['help', 'at', 'trace']],
  ])('%j is wrong use', argv => {
    expect(() => parse(argv)).toThrow(UsageError)
  })
})
