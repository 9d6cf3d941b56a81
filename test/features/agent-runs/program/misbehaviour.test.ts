/** Agent programs that do not keep to the protocol, or want out of their box. */
import { describe, expect, test } from 'bun:test'
import { programLimits } from '#features/agent-runs/program/limits.ts'
import { getRawFile } from '../../../read-file.ts'
import { REPO, type Step } from '../fixture.ts'
import { does, makeProgramWorld, type Action } from './fixture.ts'

async function runOnce(steps: Step[], options: Parameters<typeof makeProgramWorld>[1] = {}) {
  const made = await makeProgramWorld(steps, options)
  const { pull } = await made.assign()
  return { ...made, number: pull.number }
}

describe('a program that misbehaves is ended, and a person decides', () => {
  const message = `${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: {} })}\n`
  const CASES: readonly (readonly [string, Action, RegExp])[] = [
    ['dies in the middle', { die: 3 }, /^robot: it ended with exit status 3/],
    ['writes what is no message', { raw: 'a\nb\nc\n' }, /lines that are not messages/],
    ['writes a gigabyte without a line', { flood: 'x' }, /a line of more than 4 MiB/],
    ['floods with messages', { flood: message }, /more than 2000 messages in a second/],
    ['asks for terminals for ever', { terminals: 1 }, /asks again and again/],
    ['repeats one tool for ever', { repeat: 'true' }, /used its tools too often/],
    ['ends its turn for another reason', { stop: 'refusal' }, /the model refused the task/],
  ]
  for (const [name, action, reason] of CASES)
    test(name, async () => {
      const { world, run, number, pull, db } = await runOnce([does(action)])
      await world.jobs()
      expect(run()?.state).toBe('waiting')
      expect(run()?.reason).toMatch(reason)
      expect((await pull(number)).status).toBe('draft')
      const last = db.one<{ kind: string; data: string }>(
        'SELECT kind, data FROM session_entries ORDER BY seq DESC LIMIT 1',
      )
      expect(last).toEqual({ kind: 'error', data: '{"code":"waiting"}' })
    })

  test('never answers', async () => {
    const { world, run } = await runOnce([does({ hang: 1 })])
    const limits = programLimits(world.hearth) as { silenceMs: number }
    limits.silenceMs = 1_500
    await world.jobs()
    expect(run()).toMatchObject({
      state: 'waiting',
      reason: 'robot: it has said nothing for too long',
    })
  })

  test('takes too long', async () => {
    const { world, run } = await runOnce([does({ hang: 1 })])
    const limits = programLimits(world.hearth) as { turnMs: number }
    limits.turnMs = 1_500
    await world.jobs()
    expect(run()).toMatchObject({ state: 'waiting', reason: 'robot: it took too long' })
  })
})

test('files and terminals of the forge are refused, and nothing outside of the files is taken', async () => {
  const { world, run, number, entries, db } = await runOnce([
    does(
      { request: ['fs/write_text_file', { path: '/etc/passwd', content: 'x' }] },
      { request: ['fs/read_text_file', { path: '/etc/shadow' }] },
      { request: ['terminal/create', { command: 'id' }] },
      { request: ['session/elicit', {}] },
      { write: ['../outside.txt', 'x'] },
      { write: ['/etc/x', 'x'] },
      { write: ['.git/hooks/pre-commit', 'x'] },
      { write: ['.claude/settings.json', '{}'] },
      { write: ['sub/.mcp.json', '{}'] },
      { run: 'ln -s /etc/passwd stolen; ln -s /etc linked; mkfifo pipe; rm README.md' },
      { run: 'head -c 2000000 /dev/zero > large.bin; echo ok > new.txt; chmod +x new.txt' },
      { say: 'Done.' },
    ),
  ])
  await world.jobs()
  expect(run()?.state).toBe('resting')
  const session = await entries(number)
  const said = session.filter(({ kind, author }) => kind === 'message' && author !== null)
  expect(said.map(({ text }) => text).join(' ')).toContain(
    'fs/write_text_file: -32601fs/read_text_file: -32601terminal/create: -32601session/elicit: -32601',
  )
  const head = db.one<{ sha: string; store: string }>(
    `SELECT p.head_sha AS sha, f.store FROM pulls p JOIN repos f ON f.id = p.fork_id WHERE p.number = ${number}`,
  )
  const tree = await world.hearth.git.listTree(head?.store ?? '', head?.sha ?? '', '', {
    recursive: true,
  })
  const files = (tree ?? []).filter(({ type }) => type !== 'dir')
  expect(files.map(({ path, mode }) => `${mode} ${path}`).sort()).toEqual([
    '100644 src/add.js',
    '100644 test.sh',
    '100755 new.txt',
  ])
  const note = session.find(({ data }) => (data as { code?: string } | null)?.code === 'left_out')
  for (const name of ['stolen', 'linked', 'pipe', 'large.bin']) expect(note?.text).toContain(name)
})

test('the settings of agent programs in a repository are neither seen nor changed', async () => {
  const { world, assign, run } = await makeProgramWorld([
    does({ run: 'ls -a . > seen.txt; ls .claude >> seen.txt; true' }, { say: 'Looked.' }),
  ])
  await world.commit(REPO, 'main', {
    '.claude/settings.json': '{"hooks":{}}',
    '.mcp.json': '{}',
    'AGENTS.md': 'Be kind.',
  })
  const { pull } = await assign()
  await world.jobs()
  expect(run()?.state).toBe('resting')
  const { text } = await getRawFile(world, pull.number, 'seen.txt')
  expect(text).toContain('AGENTS.md')
  expect(text).not.toMatch(/settings|mcp/)
  expect((await getRawFile(world, pull.number, '.claude/settings.json')).text).toContain('hooks')
})
