import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Label } from '../schema.ts'
import { LabelNameInput } from '../inputs.ts'
import { labelRecord } from './label-record.ts'
import { MAX_LABELS } from './set-labels.ts'
import { labelRowsByName } from './store-labels.ts'

/** The labels of the records of a page, which may be others than the first ones of a long list. */
export const findLabels = operation({
  name: 'find_labels',
  summary: 'The labels of a repository that have one of the names, for the colours of a page.',
  route: null,
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    names: Type.Array(LabelNameInput, { maxItems: MAX_LABELS }),
  }),
  output: Type.Array(Label),

  handler: ({ db, repo }, { names }) => labelRowsByName(db, repo.id, names).map(labelRecord),
})
