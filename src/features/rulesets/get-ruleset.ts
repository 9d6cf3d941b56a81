import { eitherAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { ownerInput, ownerOf, requireRuleset, rulesetRecord, RulesetId } from './ruleset-record.ts'
import { Ruleset } from './schema.ts'

export const getRuleset = operation({
  name: 'get_ruleset',
  summary:
    'Get a ruleset of a workspace (its members), or of a repository (Read): what it is about, its rules, and who may pass them.',
  keywords: ['details of rules', 'show a ruleset'],
  route: ['GET /workspaces/{workspace}/rulesets/{id}', 'GET /repos/{owner}/{name}/rulesets/{id}'],
  toolset: 'access',
  access: eitherAs('read', 'member', { scope: 'repo:read', workspaceScope: 'workspace:read' }),
  input: Type.Object({ ...ownerInput, id: RulesetId }),
  output: Ruleset,

  handler: ({ hearth, db, repo, workspace }, { id }) =>
    rulesetRecord(hearth, requireRuleset(db, ownerOf({ repo, workspace }), id)),
})
