/** Files that commands of the built-in agent write. */
import { expect, test } from 'bun:test'
import { getRawFile } from '../../read-file.ts'
import { makeRunWorld, use } from './fixture.ts'

test('of what a command writes, the named files stay; no link is followed', async () => {
  const command = [
    'echo made > made.txt',
    'echo lost > lost.txt',
    'rm README.md',
    'ln -s /etc/hostname link.txt',
    'ln -s /etc folder',
    'mkfifo pipe',
  ].join(' && ')
  const { world, assign, entries, run } = await makeRunWorld([
    use('run', { command, keep: ['made.txt', 'README.md', 'link.txt', 'folder/hostname'] }),
    use('run', { command: 'cat made.txt && test ! -e README.md && test ! -e lost.txt' }),
    use('run', { command, keep: ['pipe'] }),
    use('run', { command: 'true', keep: ['../out'] }),
    use('run', { command: 'true', keep: ['.git/config'] }),
    use('submit', { message: 'Keep what was made' }),
    use('finish', { summary: 'Made.' }),
  ])
  const { pull } = await assign()
  await world.jobs()
  const session = await entries(pull.number)
  const ok = session
    .filter(({ kind }) => kind === 'result')
    .map(({ data }) => (data as { ok: boolean }).ok)
  expect(ok).toEqual([true, true, false, false, false, true, true])
  expect(run()?.state).toBe('resting')
  expect((await getRawFile(world, pull.number, 'made.txt')).text).toBe('made\n')
  const edited = session.find(({ kind }) => kind === 'edit')?.data as { paths: string[] }
  expect(edited.paths).toContain('made.txt')
  for (const path of ['link.txt', 'folder/hostname', 'lost.txt', 'README.md'])
    expect((await getRawFile(world, pull.number, path)).text).toBeNull()
})
