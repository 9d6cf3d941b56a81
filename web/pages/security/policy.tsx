// The security policy of a repository, its SECURITY.md.
import type { Repo } from '#features/repos/index.ts'
import { Card, MarkdownBody } from '../../components/index.ts'
import { codePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { securityMarkdown } from './frame.tsx'
import type { SecurityPolicy } from '../issues/template-load.ts'

export const PolicyCard = ({
  visit,
  repo,
  policy,
}: {
  visit: Visit
  repo: Repo
  policy: SecurityPolicy
}) => (
  <Card title={t('Security policy')}>
    <MarkdownBody
      text={policy.text}
      options={securityMarkdown(visit, repo)}
      whole={{ href: codePath(repo.full_name, 'blob', repo.default_branch, policy.path) }}
    />
    <p class="muted small">
      <a href={codePath(repo.full_name, 'blob', repo.default_branch, policy.path)}>{policy.path}</a>
    </p>
  </Card>
)
