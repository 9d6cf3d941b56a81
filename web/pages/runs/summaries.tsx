// What jobs wrote as their summaries, as Markdown.
import type { RunSummary } from '#features/workflows/index.ts'
import { Card, MarkdownBody } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

export const Summaries = ({
  visit,
  repo,
  summaries,
}: {
  visit: Visit
  repo: string
  summaries: readonly RunSummary[]
}) => (
  <>
    {summaries.map(({ name, markdown }) => (
      <Card title={t('Summary of {name}', { name })}>
        <MarkdownBody
          text={markdown}
          options={{
            page: visit.markdown,
            link: { siteUrl: visit.hearth.settings.site_url, repo },
          }}
        />
      </Card>
    ))}
  </>
)
