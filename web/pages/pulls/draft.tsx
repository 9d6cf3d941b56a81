// What a draft shows its author: where to push, and how to mark it as ready.
import type { PullDetail } from '#features/pulls/index.ts'
import {
  Button,
  Card,
  Commands,
  CopyField,
  Form,
  FormActions,
  TextArea,
} from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'

/** How to push commits to a pull request that has its own fork. */
export const PushHelp = ({ data }: { data: PullDetail }) => (
  <Card title="Push your commits here">
    <CopyField label="Remote" id="pull-remote" value={data.git.remote} />
    <Commands>{`git clone ${data.git.remote} work\ncd work\n# change something\ngit commit -am "What and why"\ngit push origin HEAD:${data.git.branch}`}</Commands>
  </Card>
)

/** The form that marks a draft as ready for review. */
export const ReadyBox = ({
  data,
  here,
  visit,
}: {
  data: PullDetail
  here: string
  visit: Visit
}) => (
  <Card title="Ready for review?">
    <Form
      action={`${here}/ready`}
      csrf={visit.csrf}
      label="Mark ready"
      error={formError(visitForForm(visit, `${here}/ready`), 'summary')}
    >
      <TextArea
        name="summary"
        label="Summary"
        required
        rows={4}
        markdown={data.repo}
        hint="What changed and why; it becomes the description."
        value={visit.form.values.optional('summary') ?? data.body}
        error={fieldError(visit, 'summary')}
      />
      <FormActions>
        <Button variant="primary">Mark ready</Button>
      </FormActions>
    </Form>
  </Card>
)
