/**
 * Makes a fixture of an older forge: builds the executable of a commit, has it made a small story
 * by real clients, and keeps its data directory and what must still be true of it after any
 * upgrade. `bun scripts/old-database.ts COMMIT NAME` writes test/fixtures/forges/NAME.tar.zst and
 * NAME.json; a released one is never made again.
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { claim, ROOT, startForge } from './support/forge.ts'
import { git, withToken } from './support/git.ts'

/** Tables whose rows no migration may lose. */
const TABLES = [
  'users',
  'emails',
  'workspaces',
  'members',
  'repos',
  'refs',
  'records',
  'issues',
  'labels',
  'milestones',
  'comments',
  'pulls',
  'reviews',
  'session_entries',
  'events',
  'tokens',
  'audit_log',
  'teams',
  'releases',
  'rulesets',
  'webhooks',
  'stars',
]

async function run(cwd: string, ...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error || out}`)
  return out
}

/**
 * What older forges could do too: repositories, issues, pull requests of both kinds, reviews,
 * sessions. What one could not is said and left out.
 */
async function story(url: string, token: string, work: string): Promise<void> {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) {
      process.stdout.write(
        `left out: ${method} ${path}: ${response.status} ${text.slice(0, 200)}\n`,
      )
      return {}
    }
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  }
  const repo = '/repos/acme/oven'
  await ask('POST', '/repos', {
    workspace: 'acme',
    name: 'oven',
    description: 'Keeps the heat.',
    private: false,
  })
  await ask('POST', '/repos', { workspace: 'acme', name: 'recipes', private: true })
  const clone = join(work, 'clone')
  mkdirSync(clone)
  await git(clone, 'init', '-q', '-b', 'main')
  const commit = async (name: string, text: string) => {
    writeFileSync(join(clone, name), text)
    await git(clone, 'add', '.')
    await git(clone, 'commit', '-q', '-m', `Change ${name}`)
  }
  await commit('README.md', '# Oven\n')
  await commit('oven.ts', `${'export const heat = 1\n'.repeat(200)}`)
  await git(clone, 'tag', '-a', 'v1', '-m', 'The first loaf')
  await git(clone, 'push', '-q', withToken(`${url}/acme/oven.git`, token), 'main', 'v1')
  await ask('POST', `${repo}/labels`, { name: 'crust', color: 'aa3300' })
  await ask('POST', `${repo}/milestones`, { title: 'Spring' })
  for (const title of ['It overshoots', 'Steam', 'How do I bake two?'])
    await ask('POST', `${repo}/issues`, { title, body: `About: ${title}`, labels: ['crust'] })
  await ask('POST', `${repo}/issues/1/comments`, { body: 'I see it too.' })
  await ask('POST', `${repo}/issues/3/close`, { reason: 'not_planned' })
  for (const [branch, issue, land] of [
    ['steam', 2, false],
    ['cap', 1, true],
  ] as const) {
    await git(clone, 'checkout', '-q', '-b', branch, 'main')
    await commit(`${branch}.ts`, `export const ${branch} = true\n`)
    const made = await ask('POST', `${repo}/pulls`, { issue, agent: 'thermo' })
    const { pull, git: remote } = made as unknown as {
      pull?: { number: number }
      git?: { remote: string }
    }
    if (!pull || !remote) continue
    await git(clone, 'push', '-q', withToken(remote.remote, token), `${branch}:main`)
    await ask('POST', `${repo}/pulls/${pull.number}/session`, {
      entries: [
        { kind: 'message', text: `Do ${branch}.`, data: { role: 'user' } },
        { kind: 'summary', text: 'Done.' },
      ],
    })
    await ask('POST', `${repo}/pulls/${pull.number}/ready`, { summary: `${branch} is done.` })
    await ask('POST', `${repo}/pulls/${pull.number}/reviews`, {
      verdict: 'comment',
      body: 'Looks right.',
    })
    if (land) await ask('POST', `${repo}/pulls/${pull.number}/merge`, { method: 'merge' })
  }
  await ask('POST', '/workspaces/acme/teams', { name: 'Bakers', description: 'Who bake.' })
  await ask('PUT', '/user/starred/acme/oven')
  await ask('POST', `${repo}/releases`, {
    tag_name: 'v1',
    name: 'The first loaf',
    body: 'It rose.',
  })
  await ask('POST', `${repo}/rulesets`, {
    name: 'Careful',
    target: 'branch',
    enforcement: 'evaluate',
    conditions: { ref_name: { include: ['refs/heads/main'] } },
    rules: [{ type: 'deletion' }],
  })
  // Nobody is there: the name is one that no resolver knows.
  await ask('POST', `${repo}/hooks`, {
    url: 'https://bakery.invalid/hook',
    events: ['issue.opened'],
  })
  await ask('POST', `${repo}/issues`, { title: 'Told to nobody' })
}

/** What must be true of it for ever, read from the old database itself. */
function truths(path: string): Record<string, unknown> {
  const db = new Database(path, { readonly: true })
  try {
    const all = (sql: string): unknown[] => db.query(sql).all()
    const there = new Set(
      (all(`SELECT name FROM sqlite_schema WHERE type = 'table'`) as { name: string }[]).map(
        ({ name }) => name,
      ),
    )
    const counts = Object.fromEntries(
      TABLES.filter((table) => there.has(table)).map((table) => [
        table,
        (all(`SELECT count(*) AS n FROM ${table}`)[0] as { n: number }).n,
      ]),
    )
    return {
      migrations: (all('SELECT name FROM migrations ORDER BY name') as { name: string }[]).map(
        ({ name }) => name,
      ),
      counts,
      people: all('SELECT username FROM actors ORDER BY username'),
      refs: all(
        'SELECT repos.name AS repo, refs.name, refs.oid FROM refs JOIN repos ON repos.id = refs.repo_id ORDER BY refs.repo_id, refs.name',
      ),
      records: all(
        'SELECT repos.name AS repo, number, kind, open, title FROM records JOIN repos ON repos.id = records.repo_id ORDER BY seq',
      ),
      pulls: all('SELECT number, status, head_sha, merge_commit_sha FROM pulls ORDER BY number'),
      comments: all('SELECT id, body FROM comments ORDER BY id'),
      events: all('SELECT type, count(*) AS n FROM events GROUP BY type ORDER BY type'),
    }
  } finally {
    db.close()
  }
}

if (import.meta.main) {
  const [commit = '', name = ''] = process.argv.slice(2)
  const target = join(ROOT, 'test', 'fixtures', 'forges')
  if (!/^[0-9a-f]{7,40}$/.test(commit) || !/^[a-z0-9.-]+$/.test(name))
    throw new Error('usage: bun scripts/old-database.ts COMMIT NAME')
  if (existsSync(join(target, `${name}.tar.zst`)))
    throw new Error(`${name} is there already, and fixtures of forges are never made again`)
  const work = mkdtempSync(join(tmpdir(), 'hearth-old-'))
  try {
    const tree = join(work, 'tree')
    mkdirSync(tree)
    await run(ROOT, 'git', 'archive', '--format=tar', '-o', join(work, 'tree.tar'), commit)
    await run(tree, 'tar', 'xf', '../tree.tar')
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    const executable = join(work, 'hearth')
    await run(tree, process.execPath, 'scripts/build.ts', '--outfile', executable)
    const data = join(work, 'data')
    const forge = await startForge({ executable, data, log: join(work, 'log') })
    const { token } = await claim(forge)
    await story(forge.url, token, work)
    // Jobs that follow at once have their time; those of later stay, as they would.
    await Bun.sleep(2000)
    if ((await forge.stop()) !== 0) throw new Error('the old forge did not stop cleanly')
    await run(
      work,
      'tar',
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '-cf',
      'data.tar',
      '--exclude=data/tmp',
      '--exclude=data/outbox',
      'data',
    )
    mkdirSync(target, { recursive: true })
    await Bun.write(
      join(target, `${name}.tar.zst`),
      zstdCompressSync(Buffer.from(await Bun.file(join(work, 'data.tar')).arrayBuffer()), {
        params: { 100: 19 },
      }),
    )
    const found = { commit, ...truths(join(data, 'hearth.db')) }
    await Bun.write(join(target, `${name}.json`), `${JSON.stringify(found, null, 2)}\n`)
    process.stdout.write(
      `wrote ${name}: ${JSON.stringify((found as unknown as { counts: unknown }).counts)}\n`,
    )
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
