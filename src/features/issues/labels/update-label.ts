import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { requireLabel } from '../require-records.ts'
import { LabelColorInput, LabelDescriptionInput, LabelName, LabelNameInput } from '../inputs.ts'
import { labelRecord } from './label-record.ts'
import { Label } from '../schema.ts'
import { findLabel, setLabel } from './store-labels.ts'
import { labelColor, labelName, optionalLine } from '../text.ts'

export const updateLabel = operation({
  name: 'update_label',
  summary:
    'Rename a label or change its colour or description; it stays where it is used. Needs Triage. The answer is the label.',
  keywords: ['rename a label', 'colour of a label', 'color'],
  route: 'PATCH /repos/{owner}/{name}/labels/{label}',
  toolset: 'issues',
  access: writesRepo('triage', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    label: LabelName,
    name: Type.Optional(LabelNameInput),
    color: Type.Optional(LabelColorInput),
    description: Type.Optional(LabelDescriptionInput),
  }),
  output: Label,

  handler: ({ repo, write }, { label, ...input }) => {
    const name = input.name === undefined ? undefined : labelName('name', input.name)
    const color = input.color === undefined ? undefined : labelColor(input.color)
    const description =
      input.description === undefined ? undefined : optionalLine('description', input.description)
    return write((tx) => {
      const row = requireLabel(tx.db, repo.id, label)
      const taken = name === undefined ? null : findLabel(tx.db, repo.id, name)
      if (taken && taken.id !== row.id)
        throw conflict('already_exists', `there is a label ${JSON.stringify(taken.name)} already`)
      const changed = {
        name: name ?? row.name,
        color: color ?? row.color,
        description: description === undefined ? row.description : description,
      }
      setLabel(tx, row.id, changed)
      return labelRecord(requireLabel(tx.db, repo.id, changed.name))
    })
  },
})
