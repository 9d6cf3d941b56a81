// The security policy of a repository, its SECURITY.md.
import type { Repo } from '#features/repos/index.ts'
import { Card, MarkdownBody } from '../../components/index.ts'
import { codePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { loadSecurityFile } from '../issues/template-load.ts'

export type SecurityPolicy = { readonly path: string; readonly text: string }

export const loadSecurityPolicy = (visit: Visit, repo: Repo): Promise<SecurityPolicy | null> =>
  loadSecurityFile(visit, repo)

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
      options={{
        page: visit.markdown,
        link: { siteUrl: visit.hearth.settings.site_url, repo: repo.full_name },
      }}
    />
    <p class="muted small">
      <a href={codePath(repo.full_name, 'blob', repo.default_branch, policy.path)}>{policy.path}</a>
    </p>
  </Card>
)
