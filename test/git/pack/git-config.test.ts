import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parseConfig } from '../../../src/git/pack/git-config.ts'
import { generateGitmodules } from '../support/gitmodules.ts'
import { discard, scratch, tryGit } from '../support/real-git.ts'

let work: string
beforeAll(() => void (work = scratch()))
afterAll(() => discard(work))

test('a file is read as `git config --list` reads it', async () => {
  const samples = Array.from({ length: 60 }, (_, seed) => generateGitmodules(10_000 + seed))
  samples.push(
    'a = 1\n[x]y=z',
    '[Core]\n\tName = "a b" c ; d\n\tFlag\n',
    '[a "B c\\"d"]\r\n\tk = x\\\r\n\ty\\n\\t\\b\r\n',
    '[a.B "c"] k = " x "  y   z \n',
    '\ufeff[a]\nb = c\n',
    '[a]\n\tk = x\n=\n\tl = y\n',
  )
  for (const text of samples) {
    if (/[\0-\x08\x0b-\x1f]/.test(text)) continue
    const input = Buffer.from(text, 'latin1')
    const ran = await tryGit(work, ['config', '--file', '-', '--list', '--null'], { input })
    const entries = [...parseConfig(input.toString('latin1'))].map(({ name, value }) =>
      Buffer.from(value === null ? name : `${name}\n${value}`, 'latin1').toString(),
    )
    const expected = ran.out.split('\0').slice(0, -1)
    // Git stops at the first error, and prints nothing of what it has read before.
    if (ran.code === 0) expect([text, entries]).toEqual([text, expected])
  }
}, 120_000)
