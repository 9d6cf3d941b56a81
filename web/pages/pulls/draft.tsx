// What a draft shows its author: where to push, and how to mark it as ready.
import type { PullOverview } from '#features/pulls/index.ts'
import {
  Button,
  Card,
  Commands,
  CopyField,
  Form,
  FormActions,
  TextArea,
} from '../../components/index.ts'
import { newTokenPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { shellWord } from './head-branch.tsx'
import { rich, t } from '../../text.ts'

/** Where to push the first commits of a pull request, before there is anything to show. */
export const PushHelp = ({ data }: { data: PullOverview }) => {
  const remote = shellWord(data.git.remote)
  const branch = shellWord(data.git.branch)
  const folder = `pull-${data.number}`
  return (
    <Card title={t('Push your commits')}>
      <CopyField label={t('Address to push to')} id="pull-remote" value={data.git.remote} />
      <p>{t('From a clone that you have:')}</p>
      <Commands
        label={t('Copy the commands for a clone that you have')}
      >{`git push ${remote} HEAD:${branch}`}</Commands>
      <p>{t('With a new clone:')}</p>
      <Commands
        label={t('Copy the commands for a new clone')}
      >{`git clone ${remote} ${folder}\ncd ${folder}\n# change files, then:\ngit add --all\ngit commit -m "Describe the change"\ngit push origin HEAD:${branch}`}</Commands>
      <p class="muted small">
        {rich(
          'Use an <a>access token</a> as the password. The commits show here once they are pushed.',
          { a: (inner) => <a href={newTokenPath('git', 'code:write')}>{inner}</a> },
        )}
      </p>
    </Card>
  )
}

/** The form that marks a draft as ready for review. */
export const ReadyBox = ({
  data,
  here,
  visit,
}: {
  data: PullOverview
  here: string
  visit: Visit
}) => (
  <Card title={t('Ready for review')}>
    <Form
      action={`${here}/ready`}
      csrf={visit.csrf}
      label={t('Mark as ready for review')}
      error={formError(visitForForm(visit, `${here}/ready`), 'summary')}
    >
      <TextArea
        name="summary"
        label={t('Summary')}
        required
        rows={4}
        markdown={data.repo}
        hint={t('What changed and why. It replaces the description.')}
        value={visit.form.values.optional('summary') ?? data.body}
        error={fieldError(visit, 'summary')}
      />
      <FormActions>
        <Button variant="primary">{t('Mark as ready')}</Button>
      </FormActions>
    </Form>
  </Card>
)
