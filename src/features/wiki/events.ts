/** Events of wikis. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { OneOf, Sha, Type } from '#core/schema.ts'

export const wikiUpdated = event(
  'wiki.updated',
  Type.Object({
    commit: Sha,
    pages: Type.Array(
      Type.Object({
        slug: Type.String(),
        title: Type.String(),
        action: OneOf(['created', 'edited', 'deleted']),
      }),
      { description: 'The pages that changed, at most 100.' },
    ),
  }),
  ({ pages }, by) => {
    const [first] = pages
    return first && pages.length === 1
      ? `${by} ${first.action} the wiki page ${first.title}`
      : `${by} changed ${pages.length === 0 ? 'files' : `${pages.length} pages`} of the wiki`
  },
)

export const events = [wikiUpdated]
