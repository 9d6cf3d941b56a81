/** A forge with something in it to measure, and the requests that are measured. */
import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claim, OWNER, startForge, type ForgeProcess } from '../../support/forge.ts'
import { git, withToken } from '../../support/git.ts'
import type { Kept } from './bare.ts'

export type Setting = {
  readonly forge: ForgeProcess
  readonly token: string
  readonly cookie: string
}

export const REPO = `${OWNER.workspace}/bench`

/** Starts a forge and fills it: a repository with some files and some issues. */
export async function makeSetting(
  executable: string,
  directory: string,
  environment: Record<string, string> = {},
): Promise<Setting> {
  mkdirSync(directory, { recursive: true })
  const forge = await startForge({
    executable,
    data: join(directory, 'data'),
    log: join(directory, 'serve.log'),
    environment,
  })
  const { token, cookie } = await claim(forge)
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${forge.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  }
  await post('/repos', {
    workspace: OWNER.workspace,
    name: 'bench',
    description: 'Something to measure.',
    private: true,
  })
  const work = mkdtempSync(join(directory, 'work-'))
  await git(work, 'init', '-q', '-b', 'main')
  mkdirSync(join(work, 'src'))
  writeFileSync(
    join(work, 'README.md'),
    `# Bench\n\n${'A line of a *readme* with `code`, and [a link](https://example.com).\n\n'.repeat(12)}`,
  )
  for (let at = 0; at < 12; at++)
    writeFileSync(join(work, 'src', `part-${at}.ts`), `export const part${at} = ${at}\n`)
  for (const name of ['LICENSE', 'package.json', 'tsconfig.json', 'CHANGELOG.md'])
    writeFileSync(join(work, name), `${name}\n`)
  await git(work, 'add', '.')
  await git(work, 'commit', '-q', '-m', 'Begin')
  await git(work, 'push', '-q', withToken(`${forge.url}/${REPO}.git`, token), 'main')
  for (let at = 1; at <= 20; at++)
    await post(`/repos/${REPO}/issues`, { title: `Issue ${at}`, body: 'What is wrong.' })
  return { forge, token, cookie }
}

export type Case = {
  readonly name: string
  readonly path: string
  readonly body?: string
  /** Each request asks for another number, so that none was asked before. */
  readonly numbers?: number
  readonly headers: (setting: Setting) => Record<string, string>
}

const bearer = ({ token }: Setting): Record<string, string> => ({
  authorization: `Bearer ${token}`,
})
const bearerJson = (setting: Setting): Record<string, string> => ({
  ...bearer(setting),
  'content-type': 'application/json',
})

export const READS: readonly Case[] = [
  { name: 'GET /api/v1/user', path: '/api/v1/user', headers: bearer },
  { name: 'GET /api/v1/repos/{owner}/{name}', path: `/api/v1/repos/${REPO}`, headers: bearer },
  {
    name: 'POST /mcp tools/call get_repo',
    path: '/mcp',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_repo', arguments: { repo: REPO } },
    }),
    headers: (setting) => ({
      ...bearerJson(setting),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    }),
  },
  { name: 'the repository page', path: `/${REPO}`, headers: ({ cookie }) => ({ cookie }) },
]

/** Issues that are added to the database of a stopped forge for `FIRST_READ`. */
const MANY_ISSUES = 20_000

/** Reads of what nobody asked for in the last second. */
export const FIRST_READ: Case = {
  name: 'GET /api/v1/repos/{owner}/{name}/issues/{number}, each another',
  path: `/api/v1/repos/${REPO}/issues`,
  numbers: MANY_ISSUES,
  headers: bearer,
}

/** Adds issues to the repository of a stopped forge, up to the number of `FIRST_READ`. */
export function addManyIssues(data: string): void {
  const db = new Database(join(data, 'hearth.db'))
  try {
    const { id, next } = db
      .query<{ id: string; next: number }, [string]>(
        'SELECT id, next_number AS next FROM repos WHERE name = ?',
      )
      .get('bench') ?? { id: '', next: 1 }
    db.run(
      `WITH RECURSIVE n (x) AS (SELECT ?2 UNION ALL SELECT x + 1 FROM n WHERE x < ?3)
       INSERT INTO records (repo_id, number, kind, open, title, author_id, comments_count, created_at, updated_at)
       SELECT r.repo_id, x, 'issue', 1, 'Issue number ' || x, r.author_id, 0, r.created_at, r.updated_at
       FROM n, records r WHERE r.repo_id = ?1 AND r.number = 1`,
      [id, next, MANY_ISSUES],
    )
    db.run(
      `INSERT INTO issues (id, repo_id, number, body, checks)
       SELECT 'iss_' || printf('%026d', seq), repo_id, number, 'Oil it, please.', '[]'
       FROM records WHERE repo_id = ?1 AND number >= ?2`,
      [id, next],
    )
    db.run('UPDATE repos SET next_number = ? WHERE id = ?', [MANY_ISSUES + 1, id])
  } finally {
    db.close()
  }
}

export const WRITE: Case = {
  name: 'POST /api/v1/repos/{owner}/{name}/issues',
  path: `/api/v1/repos/${REPO}/issues`,
  body: JSON.stringify({
    title: 'The door squeaks',
    body: 'Oil it, please. It can be heard in the whole house.',
  }),
  headers: bearerJson,
}

/** One answer of the forge, to be served by the bare route. Throws unless it is a success. */
export async function keep(setting: Setting, { name, path, body, headers }: Case): Promise<Kept> {
  const method = body === undefined ? 'GET' : 'POST'
  const response = await fetch(setting.forge.url + path, {
    method,
    headers: headers(setting),
    body,
    redirect: 'manual',
  })
  const text = await response.text()
  if (response.status !== 200 || text.includes('"isError":true'))
    throw new Error(`${name} answered ${response.status}: ${text.slice(0, 500)}`)
  const kept = [...response.headers].filter(
    ([header]) => !['date', 'content-length', 'connection', 'set-cookie'].includes(header),
  )
  return { path, method, body: text, headers: Object.fromEntries(kept) }
}
