import { eitherAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  auditedFields,
  contentOf,
  ownerInput,
  ownerOf,
  requireFreeName,
  requireRuleset,
  RulesetId,
  RulesetName,
  rulesetRecord,
  recordChange,
} from './ruleset-record.ts'
import { explainRules } from './explain-rules.ts'
import { Ruleset, RulesetInput } from './schema.ts'
import { setRuleset, type RulesetRow } from './store.ts'

export const updateRuleset = operation({
  name: 'update_ruleset',
  summary:
    'Change a ruleset of a workspace (Owner) or of a repository (Admin); people only. What is left out stays; bypass_actors and rules replace the whole list. Answers the ruleset.',
  keywords: ['change rules', 'edit branch protection', 'bypass list', 'enforce'],
  route: [
    'PATCH /workspaces/{workspace}/rulesets/{id}',
    'PATCH /repos/{owner}/{name}/rulesets/{id}',
  ],
  toolset: 'access',
  access: eitherAs('admin', 'owner', {
    scope: 'repo:admin',
    workspaceScope: 'workspace:admin',
    person: true,
    writes: true,
  }),
  input: Type.Object({
    ...ownerInput,
    id: RulesetId,
    name: Type.Optional(RulesetName),
    enforcement: Type.Optional(RulesetInput.enforcement),
    target: Type.Optional(RulesetInput.target),
    conditions: Type.Optional(RulesetInput.conditions),
    bypass_actors: Type.Optional(RulesetInput.bypass_actors),
    rules: Type.Optional(RulesetInput.rules),
  }),
  explainInvalid: explainRules,
  output: Ruleset,
  annotations: { idempotent: true },

  handler: (
    { hearth, repo, workspace, caller, write },
    { repo: _, workspace: __, id, ...input },
  ) => {
    const owner = ownerOf({ repo, workspace })
    return write((tx) => {
      const before = requireRuleset(tx.db, owner, id)
      const content = contentOf(tx.db, owner, input, before)
      requireFreeName(tx.db, owner, content.name, before.id)
      const same = (Object.keys(content) as (keyof typeof content)[]).every(
        (name) => JSON.stringify(content[name]) === JSON.stringify(before[name]),
      )
      if (same) return rulesetRecord(hearth, before)
      const row: RulesetRow = { ...before, ...content, updated_by: caller.id, updated_at: tx.now }
      setRuleset(tx, row)
      recordChange(tx, owner, 'updated', row, {
        before: auditedFields(hearth, before),
        after: auditedFields(hearth, row),
      })
      return rulesetRecord(hearth, row)
    })
  },
})
