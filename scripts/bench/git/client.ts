/**
 * The client of all measurements: real git as a process of its own, and curl where what the client
 * does with a pack would hide the server.
 */
import { git } from '../../support/git.ts'
import type { Server } from './servers.ts'

const ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  TZ: 'UTC',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

async function run(command: readonly string[], input?: string): Promise<void> {
  const child = Bun.spawn([...command], {
    env: ENVIRONMENT,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0)
    throw new Error(
      `${command
        .slice(0, 12)
        .join(' ')
        .replace(/Basic \S+/, 'Basic …')}: ${said.trim().slice(0, 1000)}`,
    )
}

/** Runs git against a server, signed in. */
export const gitTo = (server: Server, ...args: string[]): Promise<void> =>
  run([
    'git',
    '-c',
    'gc.auto=0',
    '-c',
    'maintenance.auto=false',
    '-c',
    `http.extraHeader=Authorization: ${server.authorization}`,
    ...args,
  ])

/** Puts a commit that changes one file on top of each of `branches`' parents, without a server. */
export async function commitOn(
  path: string,
  parent: string,
  branches: readonly string[],
  seed: string,
): Promise<void> {
  const stream = branches.map((branch, at) => {
    const text = `${seed} ${at} ${branch}\n`
    return `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 3\none\nfrom ${parent}\nM 100644 inline bench-note.txt\ndata ${text.length}\n${text}\n`
  })
  await run(['git', '-C', path, 'fast-import', '--quiet', '--force'], stream.join(''))
}

const packet = (line: string): string => (line.length + 4).toString(16).padStart(4, '0') + line

/** What a client of version 2 asks for when it clones everything. */
export const cloneRequest = (wants: readonly string[]): string =>
  [
    packet('command=fetch'),
    packet('agent=bench'),
    packet('object-format=sha1'),
    '0001',
    packet('thin-pack'),
    packet('no-progress'),
    packet('include-tag'),
    packet('ofs-delta'),
    ...wants.map((oid) => packet(`want ${oid}\n`)),
    packet('done\n'),
    '0000',
  ].join('')

/** Writes what a client sends when it pushes all branches of a repository but main, which is there. */
export async function writePush(path: string, file: string): Promise<void> {
  const refs = (await git(path, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads'))
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string])
    .filter(([, name]) => name !== 'refs/heads/main')
  const commands = refs.map(([oid, name], at) =>
    packet(`${'0'.repeat(40)} ${oid} ${name}${at === 0 ? '\0report-status' : ''}`),
  )
  const tips = ['^refs/heads/main', ...refs.map(([oid]) => oid)].join('\n')
  const pack = Bun.spawn(
    ['git', '-C', path, 'pack-objects', '--revs', '--stdout', '-q', '--thin'],
    {
      stdin: new Blob([tips]),
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const out = Bun.file(file).writer()
  out.write(`${commands.join('')}0000`)
  for await (const part of pack.stdout) {
    out.write(part)
    await out.flush()
  }
  await out.end()
  if ((await pack.exited) !== 0) throw new Error(`git pack-objects failed in ${path}`)
}

/** Sends a push kept in a file, and requires that every ref moved. */
export async function sendPush(server: Server, repository: string, file: string): Promise<void> {
  const response = await fetch(`${server.address(repository)}/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: server.authorization,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: Bun.file(file),
  })
  const report = await response.text()
  if (!response.ok || !report.includes('unpack ok') || /[0-9a-f]{4}ng /.test(report))
    throw new Error(`the push was answered ${response.status}: ${report.slice(0, 300)}`)
}

/**
 * Sends a request kept in a file and drops the answer; an answer that is no pack counts as a
 * failure.
 */
export const drain = (server: Server, repository: string, file: string): Promise<void> =>
  run([
    'curl',
    '-sS',
    '--fail',
    '-o',
    '/dev/null',
    '-H',
    `Authorization: ${server.authorization}`,
    '-H',
    'Git-Protocol: version=2',
    '-H',
    'Content-Type: application/x-git-upload-pack-request',
    '-H',
    'Accept: application/x-git-upload-pack-result',
    '--data-binary',
    `@${file}`,
    `${server.address(repository)}/git-upload-pack`,
  ])
