import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { colorOf } from './colors.ts'
import { refuseFork, requireLabel } from '../require-records.ts'
import { LabelColorInput, LabelDescriptionInput, LabelNameInput } from '../inputs.ts'
import { labelRecord } from './label-record.ts'
import { Label } from '../schema.ts'
import { requireLabelQuota } from './set-labels.ts'
import { findLabel, insertLabel } from './store-labels.ts'
import { labelColor, labelName, optionalLine } from '../text.ts'

export const createLabel = operation({
  name: 'create_label',
  summary:
    'Make a label; without a colour one is picked by the name. Needs Triage. The answer is the label.',
  keywords: ['new label', 'new tag for issues'],
  route: 'POST /repos/{owner}/{name}/labels',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('triage', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    name: LabelNameInput,
    color: Type.Optional(LabelColorInput),
    description: Type.Optional(LabelDescriptionInput),
  }),
  output: Label,
  status: 201,

  handler: ({ repo, write }, input) => {
    refuseFork(repo)
    const name = labelName('name', input.name)
    const color = input.color === undefined ? colorOf(name) : labelColor(input.color)
    const description = optionalLine('description', input.description ?? null)
    return write((tx) => {
      const taken = findLabel(tx.db, repo.id, name)
      if (taken)
        throw conflict('already_exists', `there is a label ${JSON.stringify(taken.name)} already`)
      requireLabelQuota(tx, repo.id)
      insertLabel(tx, { repo_id: repo.id, name, color, description })
      return labelRecord(requireLabel(tx.db, repo.id, name))
    })
  },
})
