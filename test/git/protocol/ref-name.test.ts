import { expect, test } from 'bun:test'
import { isRefName } from '../../../src/git/protocol/ref-name.ts'

test('names that git refuses are refused, and so are names that are not Unicode', () => {
  const refused = ['@', 'main', 'refs/heads/a..b', 'refs/heads/.a', 'refs/heads/a.lock/b', 'a/b c']
  for (const name of [...refused, 'refs/heads/\ud800'])
    expect([name, isRefName(name)]).toEqual([name, false])
  for (const name of ['refs/heads/main', 'refs/heads/ä/🔥'])
    expect([name, isRefName(name)]).toEqual([name, true])
})
