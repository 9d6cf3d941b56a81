// The settings of workflows and checks of a repository.
import type { getRepoSettings } from '#features/repos/index.ts'
import { Button, Card, Checkbox, Form, FormActions, Select } from '../../components/index.ts'
import type { OutputOf, Visit } from '../../site.ts'
import { t, texts } from '../../text.ts'
import { fieldError } from '../shell.tsx'

type Settings = OutputOf<typeof getRepoSettings>
type OutsideRuns = Settings['outside_runs']

export const OUTSIDE_RUNS = [
  'never',
  'approve_always',
  'approve_first',
  'always',
] as const satisfies readonly OutsideRuns[]

const LABELS: Readonly<Record<OutsideRuns, string>> = texts({
  never: 'Never',
  approve_always: 'After an approval, each time',
  approve_first: 'After an approval of the first one of each author',
  always: 'Always',
})

export const RunsCard = ({
  visit,
  here,
  settings,
}: {
  visit: Visit
  here: string
  settings: Settings
}) => (
  <Card title={t('Runs')}>
    <Form action={`${here}/runs`} csrf={visit.csrf} label={t('Runs')}>
      <Checkbox
        name="workflows_enabled"
        label={t('Workflows')}
        hint={t('When this is off, no event starts a run.')}
        checked={settings.workflows_enabled}
      />
      <Select
        name="outside_runs"
        label={t('Runs for pull requests by people without Write')}
        hint={t(
          'They have no secrets and a token that only reads. People with Write approve them on the page of the run.',
        )}
        required
        options={OUTSIDE_RUNS.map((value) => ({ value, label: LABELS[value] }))}
        value={settings.outside_runs}
        error={fieldError(visit, 'outside_runs')}
      />
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)
