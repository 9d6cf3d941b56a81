import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { visiblePackages } from '../visible-packages.ts'
import { listNamesWithImages, listWorkspacesWithImages } from './store-images.ts'

const MAX_NAMES = 1000
/** Workspaces in which one call looks, so that it ends where a caller sees little. */
const MAX_WORKSPACES = 500

export const listImageNames = operation({
  name: 'list_image_names',
  summary:
    'List the container images that the caller can see, as <workspace>/<name>, after a name and in the order of code points.',
  route: null,
  access: publicRead({ scope: 'packages:read' }),
  input: Type.Object({
    last: Type.String({ maxLength: 400 }),
    n: Type.Integer({ minimum: 1, maximum: MAX_NAMES }),
  }),
  output: Type.Object({
    names: Type.Array(Type.String()),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'What the next call is given as last; null at the end.',
    }),
  }),

  handler: ({ hearth, db, caller }, { last, n }) => {
    const names: string[] = []
    const slugs = listWorkspacesWithImages(db, last, MAX_WORKSPACES + 1)
    for (const [index, slug] of slugs.entries()) {
      if (index === MAX_WORKSPACES) return { names, next: `${slugs[index - 1]}/\u{10ffff}` }
      const workspace = hearth.facts.workspace(slug, caller)
      if (!workspace) continue
      const after = last.startsWith(`${slug}/`) ? last.slice(slug.length + 1) : ''
      const visible = visiblePackages(db, workspace, caller)
      const found = listNamesWithImages(db, workspace.id, visible, after, n + 1 - names.length)
      names.push(...found.map((name) => `${slug}/${name}`))
      if (names.length > n) return { names: names.slice(0, n), next: names[n - 1] ?? null }
    }
    return { names, next: null }
  },
})
