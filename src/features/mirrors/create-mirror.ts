import { writesRepoAsPerson } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { importers, requireLive } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import {
  appendCreated,
  auditMirror,
  HostKey,
  LinkName,
  requireAddress,
  requireWhole,
  Secret,
  settingColumns,
  Url,
  Username,
} from './inputs.ts'
import { linkAnswer } from './record.ts'
import { joinCredentials, newSshKey, sealCredentials } from './remote.ts'
import { requestSync } from './request-work.ts'
import { MAX_MIRRORS, MirrorLink, MirrorSettingsInput, PROVIDERS, ROLES } from './schema.ts'
import { findLeader, insertMirror, listMirrors, setMirror } from './store.ts'
import { requireMirror } from './inputs.ts'

export const createMirror = operation({
  name: 'create_mirror',
  summary:
    'Link a repository to one on another server. Role leader: the remote leads and is fetched from, until this service takes over. Role follower: it is pushed to. For people with Admin.',
  keywords: ['mirror from GitHub', 'push mirror', 'pull mirror', 'sync with GitLab', 'failover'],
  route: 'POST /repos/{owner}/{name}/mirror',
  toolset: 'mirrors',
  access: writesRepoAsPerson('admin', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    url: Url,
    role: OneOf(ROLES, {
      description: 'leader: the remote leads. follower: this service leads.',
    }),
    provider: Type.Optional(OneOf(PROVIDERS, { description: 'generic unless given.' })),
    name: Type.Optional(LinkName),
    username: Type.Optional(Username),
    secret: Type.Optional(Secret),
    host_key: Type.Optional(HostKey),
    settings: Type.Optional(MirrorSettingsInput),
  }),
  output: MirrorLink,
  status: 201,
  annotations: { openWorld: true },

  handler: async ({ hearth, caller, repo, write }, input) => {
    requireWhole(repo)
    const secret = joinCredentials(input.username, input.secret)
    const url = await requireAddress(hearth, caller, { url: input.url, secret })
    await write((tx) => {
      requireLive(tx.db, repo.id)
      const links = listMirrors(tx.db, repo.id)
      if (links.some((link) => link.url === url))
        throw conflict('already_exists', `${repo.full_name} has a mirror link to ${url}`)
      if (links.length >= MAX_MIRRORS)
        throw conflict('limit_reached', `${MAX_MIRRORS} mirror links are the most`)
      if (input.role === 'leader' && findLeader(tx.db, repo.id))
        throw conflict('already_exists', 'another remote leads already: only one can')
      const isImporting = importers
        .all(hearth)
        .some((importer) => importer.stateOf(tx.db, repo.id, tx.now_ms).importing)
      if (isImporting) throw conflict('in_progress', 'wait until the import has ended')
      const id = typeId('rmt', tx.now_ms)
      insertMirror(tx, {
        id,
        repo_id: repo.id,
        provider: input.provider ?? 'generic',
        role: input.role,
        name: input.name ?? new URL(url).host,
        url,
        secret: sealCredentials(hearth, id, secret),
        state: input.role === 'leader' ? 'setting_up' : 'following',
        state_by: caller.id,
      })
      setMirror(tx, id, {
        ...settingColumns(input.settings ?? {}, input.provider ?? 'generic'),
        ...newSshKey(hearth, id, url),
        ...(input.host_key && { host_key: input.host_key }),
      })
      const row = requireMirror(tx.db, repo, id)
      appendCreated(tx, repo, row)
      auditMirror(tx, repo, 'mirror.created', row)
      requestSync(tx, id)
    })
    return linkAnswer(hearth, caller, repo)
  },
})
