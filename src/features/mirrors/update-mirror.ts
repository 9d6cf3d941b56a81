import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { deployHoldsChanged } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { applyFact } from './apply-fact.ts'
import {
  auditMirror,
  HostKey,
  LinkName,
  requireAddress,
  requireMirror,
  Secret,
  settingColumns,
  Url,
  Username,
} from './inputs.ts'
import { linkAnswer } from './record.ts'
import { joinCredentials, newSshKey, openCredentials, sealCredentials } from './remote.ts'
import { requestSync } from './request-work.ts'
import { MirrorLink, MirrorSettingsInput } from './schema.ts'
import { findMirror, listMirrors, setMirror, type MirrorRow } from './store.ts'

export const updateMirror = operation({
  name: 'update_mirror',
  summary:
    'Change a mirror link: its name, address, token or settings, pause it, or with force overwrite what a follower has and this service has not (it is kept here for 90 days). For people with Admin.',
  keywords: ['pause a mirror', 'rotate the token of a mirror', 'force push to the mirror'],
  route: 'PATCH /repos/{owner}/{name}/mirror/{id}',
  toolset: 'mirrors',
  access: writesRepoAsPerson('admin', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    id: Id('rmt'),
    name: Type.Optional(LinkName),
    url: Type.Optional(Url),
    username: Type.Optional(Username),
    secret: Type.Optional(Secret),
    host_key: Type.Optional(HostKey),
    settings: Type.Optional(MirrorSettingsInput),
    paused: Type.Optional(Type.Boolean()),
    force: Type.Optional(
      Type.Boolean({ description: 'Overwrites the refs of a follower that diverged.' }),
    ),
  }),
  output: MirrorLink,
  annotations: { openWorld: true },

  handler: async ({ hearth, caller, repo, write }, input) => {
    const before = requireMirror(hearth.db, repo, input.id)
    const secret =
      input.secret === undefined
        ? openCredentialsUnlessMoved(hearth, before, input.url)
        : joinCredentials(input.username, input.secret)
    const url =
      input.url === undefined && input.secret === undefined
        ? before.url
        : await requireAddress(hearth, caller, { url: input.url ?? before.url, secret })
    await write((tx) => {
      const row = requireMirror(tx.db, repo, input.id)
      if (listMirrors(tx.db, repo.id).some((other) => other.id !== row.id && other.url === url))
        throw conflict('already_exists', `${repo.full_name} has another mirror link to ${url}`)
      const isMoved = url !== row.url
      setMirror(tx, row.id, {
        name: input.name,
        ...(isMoved && { url, epoch: row.epoch + 1 }),
        ...((isMoved || input.secret !== undefined) && {
          secret: sealCredentials(hearth, row.id, secret),
        }),
        ...(isMoved && {
          host_key: null,
          ...(row.ssh_key === null && newSshKey(hearth, row.id, url)),
        }),
        ...(input.host_key !== undefined && { host_key: input.host_key || null }),
        ...settingColumns(input.settings ?? {}, row.provider),
      })
      tx.emit(deployHoldsChanged, { repo_id: repo.id })
      applyPause(tx, row, input.paused)
      if (input.force) force(tx, row.id)
      if (isMoved || input.secret !== undefined || input.host_key !== undefined)
        beginAgain(tx, row.id)
      auditMirror(tx, repo, 'mirror.updated', row, {
        changed: Object.keys(input).filter((name) => name !== 'repo' && name !== 'id'),
      })
    })
    return linkAnswer(hearth, caller, repo)
  },
})

/** A stored token goes to its own origin only, so another address needs it again. */
function openCredentialsUnlessMoved(
  hearth: Parameters<typeof openCredentials>[0],
  row: MirrorRow,
  url: string | undefined,
): string | null {
  if (row.secret === null) return null
  const [to, from] = [url ?? row.url, row.url].map((one) => originOf(one))
  return to !== null && to === from ? openCredentials(hearth, row) : null
}

/** Addresses of SSH have no origin for URL, but a host. */
function originOf(url: string): string | null {
  const parsed = URL.parse(url.trim())
  return parsed && (parsed.origin === 'null' ? `${parsed.protocol}//${parsed.host}` : parsed.origin)
}

function applyPause(tx: Tx, row: MirrorRow, paused: boolean | undefined): void {
  if (paused === undefined || paused === (row.state === 'paused')) return
  applyFact(tx, row.id, { kind: paused ? 'pause' : 'resume' })
}

function force(tx: Tx, id: string): void {
  if (findMirror(tx.db, id)?.role !== 'follower')
    throw conflict('not_available', 'only a mirror that follows can be overwritten')
  requestSync(tx, id, { accept: true })
}

/** Tries again at once with what was repaired. */
function beginAgain(tx: Tx, id: string): void {
  if (!applyFact(tx, id, { kind: 'retry' })) requestSync(tx, id)
}
