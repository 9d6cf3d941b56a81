import { eitherAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import {
  auditedFields,
  contentOf,
  ownerInput,
  MAX_RULESETS,
  ownerOf,
  requireFreeName,
  RulesetName,
  rulesetRecord,
  recordChange,
} from './ruleset-record.ts'
import { explainRules } from './explain-rules.ts'
import { Ruleset, RulesetInput } from './schema.ts'
import { countRulesets, insertRuleset, type RulesetRow } from './store.ts'

export const createRuleset = operation({
  name: 'create_ruleset',
  summary:
    'Make a ruleset for the repositories of a workspace (Owner) or for one repository (Admin); people only. It holds at once unless enforcement is evaluate or disabled. Answers the ruleset.',
  keywords: [
    'limit what agents may spend',
    'stop direct pushes to a branch',
    'require signed commits',
    'require a linear history',
    'limit the size of files',
    'branch protection',
    'protect branches from pushes',
    'protect main',
    'forbid force pushes',
    'require reviews',
    'protect tags',
    'block pushes',
    'policy',
    'new rule',
  ],
  route: ['POST /workspaces/{workspace}/rulesets', 'POST /repos/{owner}/{name}/rulesets'],
  toolset: 'access',
  access: eitherAs('admin', 'owner', {
    scope: 'repo:admin',
    workspaceScope: 'workspace:admin',
    person: true,
    writes: true,
  }),
  input: Type.Object({
    ...ownerInput,
    name: RulesetName,
    enforcement: Type.Optional(RulesetInput.enforcement),
    target: Type.Optional(RulesetInput.target),
    conditions: Type.Optional(RulesetInput.conditions),
    bypass_actors: Type.Optional(RulesetInput.bypass_actors),
    rules: RulesetInput.rules,
  }),
  explainInvalid: explainRules,
  output: Ruleset,
  status: 201,

  handler: ({ hearth, repo, workspace, caller, write }, { repo: _, workspace: __, ...input }) => {
    const owner = ownerOf({ repo, workspace })
    return write((tx) => {
      const content = contentOf(tx.db, owner, input, null)
      requireFreeName(tx.db, owner, content.name, null)
      if (countRulesets(tx.db, owner.columns) >= MAX_RULESETS)
        throw conflict(
          'limit_reached',
          `${owner.display_name} has ${MAX_RULESETS} rulesets already`,
          {
            limit: MAX_RULESETS,
          },
        )
      const row: RulesetRow = {
        ...content,
        ...owner.columns,
        id: typeId('rs', tx.now_ms),
        created_by: caller.id,
        created_at: tx.now,
        updated_by: caller.id,
        updated_at: tx.now,
      }
      insertRuleset(tx, row)
      recordChange(tx, owner, 'created', row, { after: auditedFields(hearth, row) })
      return rulesetRecord(hearth, row)
    })
  },
})
