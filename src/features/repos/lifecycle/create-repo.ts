import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { createRepoWithStore } from './new-repo.ts'
import { importers } from '../extension-points.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { Visibility, wantedPrivacy } from '../visibility.ts'

export const createRepo = operation({
  name: 'create_repo',
  summary:
    'Create a repository in a workspace that you belong to, empty or as a copy of a public git repository; the workspace may be left out if you belong to exactly one. A copy goes on after the answer.',
  keywords: ['new repository', 'start a repository', 'new git project'],
  route: 'POST /v1/repos',
  aliases: ['create_repository'],
  toolset: 'code',
  listed: 'default',
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Letters, digits, dots, underscores and hyphens.',
    }),
    workspace: Type.Optional(WorkspaceSlug),
    description: Type.Optional(Type.String({ maxLength: 350 })),
    private: Type.Optional(
      Type.Boolean({
        description: 'The default is set for the installation.',
      }),
    ),
    visibility: Type.Optional(Visibility),
    import_url: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'A public git repository to copy.',
      }),
    ),
  }),
  output: Repo,
  annotations: { openWorld: true },

  handler: (context, input) => {
    const { hearth, caller } = context
    const { import_url } = input
    const [importer] = importers.all(hearth)
    if (import_url !== undefined && !importer) {
      throw new Refusal(
        'not_available',
        'this installation cannot copy repositories from an address: make an empty one and push to it',
        { field: 'import_url' },
      )
    }
    return createRepoWithStore(
      context,
      { ...input, private: wantedPrivacy(input) },
      {
        imported: import_url ?? null,
        prepare: async () => {
          if (import_url !== undefined) await importer?.check(hearth, import_url)
        },
        finish: (tx, row) => {
          if (import_url !== undefined) importer?.begin(tx, row, import_url)
          return repoRecord(hearth, row, caller)
        },
      },
    )
  },
})
