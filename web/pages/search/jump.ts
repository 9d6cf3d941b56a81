// The entries of the quick switcher, which the browser script loads.
import { jump } from '#features/search/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { Resource } from '../../site.ts'

export const jumpList: Resource = {
  path: '/-/jump',
  async respond(visit) {
    const query = visit.url.searchParams
    const repo = query.get('repo')
    try {
      const found = await visit.call(jump, {
        query: (query.get('q') ?? '').slice(0, 200),
        ...(repo ? { repo: repo.slice(0, 160) } : {}),
      })
      return Response.json(found, { headers: { 'cache-control': 'private, no-store' } })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid') return Response.json({ items: [] })
      throw error
    }
  },
}
