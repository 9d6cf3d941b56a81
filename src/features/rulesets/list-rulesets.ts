import { eitherAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { ownerInput, ownerOf, rulesetRecord } from './ruleset-record.ts'
import { Rulesets } from './schema.ts'
import { countRulesets, listRulesetRows } from './store.ts'

export const listRulesets = operation({
  name: 'list_rulesets',
  summary:
    'List the rulesets of a workspace (its members), or those of one repository (Read), newest first. What holds for a branch, from both, is list_branch_rules.',
  keywords: ['all rules', 'branch protections', 'policies'],
  route: ['GET /workspaces/{workspace}/rulesets', 'GET /repos/{owner}/{name}/rulesets'],
  toolset: 'access',
  listed: 'default',
  access: eitherAs('read', 'member', { scope: 'repo:read', workspaceScope: 'workspace:read' }),
  input: Type.Object({ ...ownerInput, ...byPage() }),
  output: Rulesets,
  list: 'page',

  handler: ({ hearth, db, repo, workspace }, paging) => {
    const { columns: owner } = ownerOf({ repo, workspace })
    const window = windowOf(paging)
    return pageOf(
      listRulesetRows(db, owner, window).map((row) => rulesetRecord(hearth, row)),
      window,
      countRulesets(db, owner),
    )
  },
})
