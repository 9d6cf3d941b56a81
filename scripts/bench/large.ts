/**
 * Time of common operations over the size of one thing: issues and branches of one repository,
 * members of one workspace. The rows are written into the database beside a stopped forge. Each size
 * is a repository or workspace of its own, and all are asked in turn in one run.
 */
import { Database } from 'bun:sqlite'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from './forge/table.ts'
import { median } from './forge/wrk.ts'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  sizes: {
    kind: 'text',
    default: '1000,10000,100000,1000000',
    help: 'Issues of the repositories.',
  },
  times: { kind: 'count', default: '9', help: 'How often each is asked; the median counts.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

/** More branches and members than this make no sense in one place. */
const MAX_BRANCHES = 100_000
const MAX_MEMBERS = 10_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)

type Place = { readonly size: number; readonly repo: string; readonly workspace: string }

/** Reads the one row that the forge made, and repeats it. */
function fillOne(db: Database, { size, repo, workspace }: Place): void {
  const [, name = ''] = repo.split('/')
  const { id } = db.query('SELECT id FROM repos WHERE name = ?').get(name) as { id: string }
  const numbers = (from: number, to: number): string =>
    `WITH RECURSIVE n (x) AS (SELECT ${from} UNION ALL SELECT x + 1 FROM n WHERE x < ${to})`
  db.run(
    `INSERT INTO records (repo_id, number, kind, open, title, author_id, comments_count, created_at, updated_at)
     ${numbers(2, size)} SELECT r.repo_id, x, 'issue', x % 3 <> 0, 'Issue number ' || x, r.author_id, 0,
       r.created_at, r.updated_at FROM n, records r WHERE r.repo_id = ? AND r.number = 1`,
    [id],
  )
  db.run(
    `INSERT INTO issues (id, repo_id, number, body, checks, reason, closed_at)
     SELECT 'iss_' || printf('%026d', seq), repo_id, number, 'A text.', '[]',
       CASE WHEN open THEN NULL ELSE 'completed' END, CASE WHEN open THEN NULL ELSE created_at END
     FROM records WHERE repo_id = ? AND number > 1`,
    [id],
  )
  db.run(
    `UPDATE repos SET next_number = ?2, open_issues_count =
       (SELECT count(*) FROM records WHERE repo_id = ?1 AND open) WHERE id = ?1`,
    [id, size + 1],
  )
  db.run(
    `INSERT INTO refs ${numbers(1, Math.min(size, MAX_BRANCHES))}
     SELECT repo_id, 'refs/heads/branch-' || printf('%07d', x), oid, peeled, moved_at
     FROM n, refs WHERE repo_id = ? AND name = 'refs/heads/main'`,
    [id],
  )
  fillMembers(db, workspace, Math.min(size, MAX_MEMBERS), numbers)
}

function fillMembers(
  db: Database,
  workspace: string,
  count: number,
  numbers: (from: number, to: number) => string,
): void {
  const { id } = db.query('SELECT id FROM actors WHERE username = ?').get(workspace) as {
    id: string
  }
  db.run(
    `INSERT OR IGNORE INTO actors (id, kind, username) ${numbers(1, count)}
     SELECT 'usr_' || printf('%026d', x), 'user', 'person-' || x FROM n`,
  )
  db.run(
    `INSERT OR IGNORE INTO users (id, created_at, updated_at) ${numbers(1, count)}
     SELECT 'usr_' || printf('%026d', x), u.created_at, u.updated_at FROM n, (SELECT * FROM users LIMIT 1) u`,
  )
  db.run(
    `INSERT OR IGNORE INTO emails (user_id, email, is_primary, created_at, verified_at) ${numbers(1, count)}
     SELECT 'usr_' || printf('%026d', x), 'person-' || x || '@example.com', 1, u.created_at, u.created_at
     FROM n, (SELECT * FROM users LIMIT 1) u`,
  )
  db.run(
    `INSERT INTO members (workspace_id, user_id, role, joined_at) ${numbers(1, count)}
     SELECT ?, 'usr_' || printf('%026d', x), 'member', u.created_at FROM n, (SELECT * FROM users LIMIT 1) u`,
    [id],
  )
}

type Operation = {
  readonly name: string
  readonly path: (place: Place) => string
  readonly body?: unknown
}

const api = (path: (place: Place) => string) => (place: Place) => `/api/v1${path(place)}`
const OPERATIONS: readonly Operation[] = [
  { name: 'list_issues', path: api(({ repo }) => `/repos/${repo}/issues`) },
  { name: 'list_issues, closed', path: api(({ repo }) => `/repos/${repo}/issues?state=closed`) },
  { name: 'get_issue', path: api(({ repo, size }) => `/repos/${repo}/issues/${size}`) },
  {
    name: 'create_issue',
    path: api(({ repo }) => `/repos/${repo}/issues`),
    body: { title: 'New' },
  },
  { name: 'get_repo', path: api(({ repo }) => `/repos/${repo}`) },
  { name: 'list_branches', path: api(({ repo }) => `/repos/${repo}/branches`) },
  { name: 'get_workspace', path: api(({ workspace }) => `/workspaces/${workspace}`) },
  { name: 'list_members', path: api(({ workspace }) => `/workspaces/${workspace}/members`) },
  { name: 'page of issues', path: ({ repo }) => `/${repo}/issues` },
  {
    name: 'last page of issues',
    path: ({ repo, size }) => `/${repo}/issues?page=${Math.floor((size * 2) / 3 / 25)}`,
  },
  { name: 'issues with a word', path: ({ repo }) => `/${repo}/issues?q=number` },
  { name: 'page of an issue', path: ({ repo, size }) => `/${repo}/issues/${size}` },
  { name: 'page of the repository', path: ({ repo }) => `/${repo}` },
  { name: 'page of branches', path: ({ repo }) => `/${repo}/branches` },
  { name: 'page of commits', path: ({ repo }) => `/${repo}/commits/main` },
  { name: 'page of people', path: ({ workspace }) => `/${workspace}/-/members` },
  { name: 'git ls-remote', path: ({ repo }) => `/${repo}.git/info/refs?service=git-upload-pack` },
]

if (import.meta.main) {
  await runScript('bun scripts/bench/large.ts [options]', OPTIONS, async (options) => {
    const directory = mkdtempSync(join(tmpdir(), 'hearth-large-'))
    const executable = join(directory, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    const [data, log] = [join(directory, 'data'), join(directory, 'serve.log')]
    const environment = { HEARTH_LOG_LEVEL: 'error' }
    const places = options.sizes.split(',').map((text) => ({
      size: Number(text),
      repo: `team-${text}/large-${text}`,
      workspace: `team-${text}`,
    }))
    try {
      let forge = await startForge({ executable, data, log, environment })
      const { token, cookie } = await claim(forge)
      const post = async (path: string, body: unknown): Promise<void> => {
        const response = await fetch(`${forge.url}/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        if (!response.ok) throw new Error(`POST ${path}: ${await response.text()}`)
      }
      for (const { repo, workspace } of places) {
        await post('/workspaces', { slug: workspace, name: workspace })
        await post('/repos', { workspace, name: repo.split('/')[1], private: false })
        await post(`/repos/${repo}/issues`, { title: 'The first' })
        await post(`/repos/${repo}/commits`, {
          branch: 'main',
          message: 'Begin',
          files: [{ path: 'README.md', action: 'put', content: '# Large\n' }],
        })
      }
      await forge.stop()
      const db = new Database(join(data, 'hearth.db'))
      db.run('PRAGMA synchronous = OFF')
      for (const place of places) db.transaction(() => fillOne(db, place))()
      db.close()
      forge = await startForge({ executable, data, log, environment })
      say(
        `${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}, ${OWNER.username} asks; milliseconds, the median of ${options.times}`,
      )
      const rows: string[][] = []
      for (const { name, path, body } of OPERATIONS) {
        const times = places.map((): number[] => [])
        let status = 0
        for (let round = 0; round < Number(options.times); round++)
          for (const [at, place] of places.entries()) {
            const began = performance.now()
            const response = await fetch(`${forge.url}${path(place)}`, {
              method: body === undefined ? 'GET' : 'POST',
              headers:
                path(place).startsWith('/api') || path(place).includes('.git/')
                  ? { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
                  : { cookie },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            })
            await response.arrayBuffer()
            times[at]?.push(performance.now() - began)
            if (response.status >= 300) status = response.status
          }
        rows.push([
          status === 0 ? name : `${name} (answered ${status})`,
          ...times.map((all) => median(all).toFixed(1)),
        ])
      }
      say(table(['', ...places.map(({ size }) => String(size))], rows))
      await forge.stop()
      return 0
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
}
