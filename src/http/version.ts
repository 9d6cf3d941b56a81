/** The release of this forge, as an operation, so that agents can read it too. */
import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'

export const Version = Type.Object(
  {
    version: Type.String({ description: 'The release that runs.' }),
    commit: Nullable(Type.String()),
    api: Type.String({ description: 'The version of the interface.' }),
    features: Type.Array(Type.String(), {
      description: 'The sets of operations that this installation has.',
    }),
  },
  { $id: 'Version' },
)

export const getVersion = operation({
  name: 'get_version',
  summary:
    'Which release this installation runs, and which sets of operations it has. Anyone may ask.',
  keywords: ['which version runs', 'server version', 'release of the forge'],
  route: 'GET /version',
  toolset: 'admin',
  access: publicRead(),
  input: Type.Object({}),
  output: Version,
  handler: ({ hearth }) => ({
    version: hearth.settings.version,
    commit: null,
    api: '1',
    features: [...new Set(hearth.operations.map(({ toolset }) => toolset))].sort(),
  }),
})
