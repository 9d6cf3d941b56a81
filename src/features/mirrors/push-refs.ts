/** Pushes refs to a remote. Each ref has its own result, and each command names the old commit. */
import type { Hearth } from '#core/hearth.ts'
import { refsOf, remoteTransport, requireRepo } from '#features/repos/index.ts'
import type { PushCommand } from '#git'
import { uploadLargeFiles } from './large-files.ts'
import { remoteAccess } from './remote.ts'
import { setPushedRef } from './store-refs.ts'
import type { MirrorRow } from './store.ts'
import { defaultRefOf, PREFIXES, writeForLink } from './sync-options.ts'

/** The most pushes that one refused push is divided into. */
const MAX_PUSHES = 60

/** The reason of the remote for each ref that it refused. */
export type Refused = ReadonlyMap<string, string>

/**
 * Sends commands and records what the remote took. A remote may refuse a whole push because of one
 * protected branch. Then it is divided until the refs that are refused stand alone, the default
 * branch last.
 */
export async function pushRefs(
  hearth: Hearth,
  row: MirrorRow,
  commands: readonly PushCommand[],
  signal: AbortSignal,
): Promise<Refused> {
  const last = defaultRefOf(hearth, row.repo_id)
  const rank = ({ name, new: to }: PushCommand): number => (name === last ? 2 : to === null ? 0 : 1)
  // Deletions first: a branch may become the folder of another.
  const ordered = [...commands].sort((a, b) => rank(a) - rank(b))
  const refused = new Map<string, string>()
  let pushes = 0
  const send = async (part: readonly PushCommand[]): Promise<void> => {
    if (part.length === 0) return
    pushes++
    const results = await pushOnce(hearth, row, part, signal)
    const allRefused = results.every(({ reason }) => reason !== null)
    if (!allRefused || part.length === 1 || pushes >= MAX_PUSHES) {
      for (const { name, reason } of results) if (reason !== null) refused.set(name, reason)
      return
    }
    const middle = part.length >> 1
    await send(part.slice(0, middle))
    await send(part.slice(middle))
  }
  await uploadLargeFiles(hearth, row, ordered, signal)
  await send(ordered)
  return refused
}

async function pushOnce(
  hearth: Hearth,
  row: MirrorRow,
  commands: readonly PushCommand[],
  signal: AbortSignal,
): Promise<{ name: string; reason: string | null }[]> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const { results } = await hearth.git.pushTo(
    repo.store,
    remoteTransport(hearth, remoteAccess(hearth, row)),
    {
      url: row.url,
      prefixes: PREFIXES,
      local: refsOf(hearth, repo.id),
      signal,
      commands: () => commands,
    },
  )
  const reasons = new Map(results.map(({ name, refused }) => [name, refused]))
  const answered = commands.map(({ name }) => ({ name, reason: reasons.get(name) ?? null }))
  await writeForLink(hearth, row, (tx) => {
    for (const { name, new: to } of commands)
      if (reasons.get(name) === null) setPushedRef(tx, row.id, name, to)
  })
  return answered
}
