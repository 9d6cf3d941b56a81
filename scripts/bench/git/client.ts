/**
 * The client of all measurements: real git as a process of its own, and curl where what the client
 * does with a pack would hide the server.
 */
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
