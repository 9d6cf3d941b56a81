import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { BranchName } from '#features/repos/schema.ts'
import { branchRef, requireRepo } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { rulesetsOf, rulesetUrl, rulesFor } from './applicable-rules.ts'
import { publicParameters } from './ruleset-record.ts'
import { BranchRules } from './schema.ts'

export const listBranchRules = operation({
  name: 'list_branch_rules',
  summary:
    'List the rules that are in force for a branch of a repository (Read), of its workspace and of its own, each with its ruleset. The branch need not exist yet.',
  keywords: [
    'rules of a branch',
    'is a branch protected',
    'what protects a branch',
    'which rules apply',
  ],
  route: 'GET /repos/{owner}/{name}/rules/{branch}',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath, branch: BranchName }),
  output: BranchRules,

  handler: ({ hearth, db, repo }, { branch }) => {
    if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
    const row = requireRepo(db, repo.id)
    const rules = rulesFor(rulesetsOf(hearth, row), row, branchRef(branch)).filter(
      ({ ruleset }) => ruleset.enforcement === 'active',
    )
    return {
      items: rules.map(({ ruleset, rule }) => ({
        type: rule.type,
        parameters: publicParameters(db, rule),
        applies_to: rule.applies_to,
        ruleset: {
          id: ruleset.id,
          name: ruleset.name,
          level: ruleset.repo_id === null ? ('workspace' as const) : ('repository' as const),
          enforcement: ruleset.enforcement,
          html_url: rulesetUrl(hearth, ruleset),
        },
      })),
      next: null,
    }
  },
})
