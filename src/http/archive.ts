/**
 * The door of archives: `/_archive/<token>/<name>.zip` streams a zip file of a commit to whoever has the link. It knows the
 * operation behind it by name only. Nothing is written to disk; the engine lets a few run at once and the others wait.
 */
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Typed } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import type { Door } from './exchange.ts'
import { watched } from './git-streams.ts'
import { decode } from './query.ts'
import type { Mount } from './rest.ts'

type OpenArchive = Typed<{ token: string; file: string }, { store: string; commit: string; folder: string }>

export function archiveMounts(hearth: Hearth): Mount[] {
  const openArchive = hearth.operationsByName.get('open_archive') as OpenArchive | undefined
  if (!openArchive) return []
  const door: Door = async (exchange) => {
    const { request, path } = exchange
    exchange.operation = openArchive.name
    // Whoever reads the log must not be able to use the link.
    exchange.loggedPath = '/_archive'
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Refusal('method_not_allowed', `${request.method} is not possible here; GET, HEAD are`, { headers: { allow: 'GET, HEAD' } })
    }
    const [token = '', file = ''] = path.split('/').slice(2).map(decode)
    const { store, commit, folder } = await call(hearth, openArchive, anonymous, { token, file })
    const body = request.method === 'HEAD' ? null : watched(hearth.git.archive(store, commit, { format: 'zip', prefix: folder }), { chunk: () => {}, end: hearth.measures.begin('archive', { store }) })
    return new Response(body, {
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${folder}.zip"`,
        'cache-control': 'private, max-age=600',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'referrer-policy': 'no-referrer',
      },
    })
  }
  return [{ path: '/_archive/:token/:file', door }]
}
