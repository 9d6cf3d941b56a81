import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { findWorkspace, workspaceFacts } from '#features/workspaces/index.ts'
import { notFound, Refusal } from '#lib/errors.ts'
import { startImport } from './create-import.ts'
import { AddressInput, PartsInput, TokenInput } from './inputs.ts'
import { SOURCES, StartedImports } from './schema.ts'

/** As many repositories are begun by one request. */
export const MAX_IMPORTS_AT_ONCE = 100

export const createImports = operation({
  name: 'create_imports',
  summary:
    'Import up to 100 repositories from one other forge into new ones of a workspace that you belong to. Answers for each its import or why it was not begun; they go on afterwards, two at a time.',
  keywords: ['import an organisation', 'migrate a group', 'import several repositories'],
  route: 'POST /imports/batch',
  toolset: 'mirrors',
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    source: OneOf(SOURCES),
    repos: Type.Array(
      Type.Object(
        {
          url: AddressInput(),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
          description: Type.Optional(Type.String({ maxLength: 350 })),
          private: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_IMPORTS_AT_ONCE, description: 'As for `create_import`.' },
    ),
    token: Type.Optional(
      TokenInput('A token, or name:password; kept encrypted until each import ends.'),
    ),
    workspace: WorkspaceSlug,
    private: Type.Optional(Type.Boolean({ description: 'For those that say nothing.' })),
    include: Type.Optional(PartsInput),
  }),
  output: StartedImports,
  status: 202,
  annotations: { openWorld: true },

  handler: async (context, { source, repos, token, workspace, private: isPrivate, include }) => {
    const known = findWorkspace(context.db, workspace)
    if (!known || (workspaceFacts(context.db, known.slug, context.caller)?.role ?? null) === null)
      throw notFound(`the workspace ${workspace}`)
    const items: StartedImports['items'] = []
    for (const repo of repos) {
      context.signal.throwIfAborted()
      try {
        const input = { source, token, workspace, include, private: isPrivate, ...repo }
        items.push({ url: repo.url, import: await startImport(context, input), error: null })
      } catch (error) {
        // What is refused for one, such as a name that exists, stops no other.
        if (!(error instanceof Refusal)) throw error
        items.push({ url: repo.url, import: null, error: error.message })
      }
    }
    return { items }
  },
})
