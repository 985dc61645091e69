import { Alert, Anchor, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconDownload, IconUpload } from '@tabler/icons-react'
import { useId, useMemo, useRef } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { useNotices } from '../../../components/notices.tsx'
import type { FieldErrors } from '../../../service/errors.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { saveYaml } from '../yaml/download.ts'
import { type Connectors, fromYaml, linesOf, type Problem, toYaml } from '../yaml/yaml.ts'
import { CodeEditor, type CodeEditorHandle } from './code-editor.tsx'
import { isCurrent, type TypedText, useEditing } from './editing.ts'
import classes from './yaml-view.module.css'

const texts = workflowsTexts.yaml
const MAX_BYTES = 100_000

type Props = Connectors & {
  /** The service's errors about the body. */
  serviceErrors: FieldErrors
  typed: TypedText | null
  onTyped: (typed: TypedText) => void
}

/** The draft as text. Valid text applies immediately; errors name their line. */
export function YamlView({ sources, destinations, serviceErrors, typed, onTyped }: Props) {
  const { draft, change, disabled } = useEditing()
  const notices = useNotices()
  const editor = useRef<CodeEditorHandle>(null)
  const help = useId()
  const connectors = useMemo(() => ({ sources, destinations }), [sources, destinations])
  const text = useMemo(
    () => (typed && isCurrent(typed, draft) ? typed.text : toYaml(draft, connectors)),
    [typed, draft, connectors],
  )
  const problems = useMemo(() => {
    const read = fromYaml(text, connectors)
    return 'problems' in read ? read.problems : linesOf(text, serviceErrors)
  }, [text, connectors, serviceErrors])

  function write(next: string): void {
    const read = fromYaml(next, connectors, draft.nodes)
    if ('draft' in read) change('yaml', () => read.draft)
    const problems = 'draft' in read ? 0 : read.problems.length
    onTyped({ text: next, draft: 'draft' in read ? read.draft : draft, problems })
  }

  async function open(file: File | null): Promise<void> {
    if (!file) return
    if (file.size > MAX_BYTES) return notices.error(new Error(texts.tooLarge))
    write(await file.text())
  }

  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" id={help} flex="1 1 280px">
          {texts.help}
        </Text>
        <Group gap="xs">
          <FileButton accept=".yaml,.yml,application/yaml" onChange={open} disabled={disabled}>
            {(props) => (
              <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} />}>
                {texts.open}
              </Button>
            )}
          </FileButton>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveYaml(draft.name, text)}
          >
            {texts.download}
          </Button>
          <CopyButton text={text} what={texts.copyWhat} />
        </Group>
      </Group>
      <div className={classes.frame} data-invalid={problems.length > 0 || undefined}>
        <CodeEditor
          ref={editor}
          label={texts.label}
          describedBy={help}
          text={text}
          problems={problems}
          readOnly={disabled}
          onChange={write}
        />
      </div>
      <YamlStatus problems={problems} onGo={(line) => editor.current?.selectLine(line)} />
    </Stack>
  )
}

function YamlStatus({ problems, onGo }: { problems: Problem[]; onGo: (line: number) => void }) {
  if (problems.length === 0) {
    return (
      <Group gap={4} role="status">
        <IconCheck size={16} aria-hidden="true" />
        <Text size="sm">{texts.valid}</Text>
      </Group>
    )
  }
  return (
    <Alert
      variant="outline"
      color="var(--mr-bad)"
      icon={<IconAlertTriangle size={18} />}
      title={texts.problems(problems.length)}
      role="status"
    >
      <ul className={classes.problems}>
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <Anchor component="button" type="button" size="sm" underline="always" onClick={() => onGo(line)}>
              {texts.line(line)}
            </Anchor>{' '}
            {message}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
