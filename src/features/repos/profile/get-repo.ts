import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { repoRecord } from './repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'

export const getRepo = operation({
  name: 'get_repo',
  summary:
    'Get one repository that you can see: its description, visibility, default branch, counts, addresses and your role on it.',
  keywords: ['about a repository', 'repository details', 'clone address', 'default branch name'],
  route: 'GET /v1/repos/{owner}/{name}',
  aliases: ['get_repository'],
  toolset: 'code',
  listed: 'core',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Repo,

  handler: ({ hearth, db, repo, caller }) => repoRecord(hearth, requireRepo(db, repo.id), caller),
})
