import { ActionIcon, Menu, Skeleton, Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconLayoutList,
  IconPlus,
  IconPuzzle,
  IconSparkles,
  IconTrash,
  IconVector,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { sandboxTexts } from '../../../texts/sandbox.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { TypeIcon } from '../../connectors/type-icon.tsx'
import { hasLanguageModel, subtypeOf } from '../draft/node-subtypes.ts'
import { insertableTypes, moved, reasonNotRemovable } from '../draft/order.ts'
import { useProviders } from '../queries.ts'
import type { NodeType } from '../types.ts'
import { buttonId, type Editing, type Step, stepOf, stepsOf, useEditing } from './editing.ts'
import classes from './step-list.module.css'

const texts = workflowsTexts.editor

/** The way of a document from source to destination. */
export function StepList() {
  const { draft, connectors, loading, disabled } = useEditing()
  // Empty while loading, so that the hint does not flash.
  const providers = useProviders()
  const lacksModel = providers.length > 0 && !hasLanguageModel(providers)
  return (
    <Stack gap="md">
      {loading.isError && !loading.data ? <QueryFailure query={loading} /> : null}
      <ol className={classes.list} aria-label={texts.steps}>
        {stepsOf(draft).map((step, index) => (
          <li key={step.key}>
            <StepCard step={step} />
            {step.key === 'destination' ? null : (
              <div className={classes.between}>
                <AddStep index={index} after={stepText(step, connectors).title} />
              </div>
            )}
          </li>
        ))}
      </ol>
      {lacksModel && !disabled ? (
        <Text size="sm" c="dimmed">
          {workflowsTexts.node.needsModel}
        </Text>
      ) : null}
    </Stack>
  )
}

/** The whole card opens the step; its buttons are on top. */
function StepCard({ step }: { step: Step }) {
  const { draft, chosen, choose, connectors, loading, errors, disabled, remove } = useEditing()
  const { title, subtitle } = stepText(step, connectors)
  const isInvalid = Object.keys(errors).some((path) => stepOf(path, draft) === step.key)
  const isPending = !step.node && draft[`${step.kind}Id`] !== null && loading.data === undefined
  const index = draft.nodes.findIndex(({ key }) => key === step.key)
  const notRemovable = step.node ? reasonNotRemovable(draft.nodes, index) : null
  return (
    <div
      className={classes.card}
      data-chosen={chosen === step.key || undefined}
      data-invalid={isInvalid || undefined}
    >
      <span className={classes.icon}>
        {step.node ? (
          <NodeIcon type={step.kind} />
        ) : (
          <TypeIcon type={connectors[step.kind]?.type} size={SIZE} />
        )}
      </span>
      <button
        type="button"
        id={buttonId(step.key)}
        className={classes.open}
        aria-pressed={chosen === step.key}
        onClick={() => choose(step.key)}
      >
        <span className={classes.title}>{title}</span>
        <span className={classes.subtitle}>
          {isPending ? (
            <Skeleton component="span" display="inline-block" height={14} width={160} />
          ) : (
            subtitle
          )}
        </span>
        <VisuallyHidden>{isInvalid ? texts.openInvalid : texts.open}</VisuallyHidden>
      </button>
      {isInvalid ? <IconAlertTriangle size={16} className={classes.invalid} aria-hidden="true" /> : null}
      {step.node ? <MoveButtons step={step} index={index} /> : null}
      {step.node && notRemovable !== 'partitionerNeeded' && !disabled ? (
        <Tooltip
          label={notRemovable ? texts[notRemovable] : texts.remove}
          events={{ hover: true, focus: true, touch: true }}
        >
          <CardButton
            label={texts.removeNamed(title) + (notRemovable ? `. ${texts[notRemovable]}` : '')}
            onClick={notRemovable ? undefined : () => remove(step.key)}
          >
            <IconTrash size={16} />
          </CardButton>
        </Tooltip>
      ) : null}
    </div>
  )
}

/** Shown only if another order is valid. */
function MoveButtons({ step, index }: { step: Step; index: number }) {
  const { draft, connectors, disabled, move } = useEditing()
  const { title } = stepText(step, connectors)
  const can = (by: 1 | -1) => moved(draft.nodes, index, by) !== null
  if (disabled || (!can(-1) && !can(1))) return null
  return (
    <>
      <CardButton label={texts.moveUp(title)} onClick={can(-1) ? () => move(step.key, -1) : undefined}>
        <IconArrowUp size={16} />
      </CardButton>
      <CardButton label={texts.moveDown(title)} onClick={can(1) ? () => move(step.key, 1) : undefined}>
        <IconArrowDown size={16} />
      </CardButton>
    </>
  )
}

type CardButtonProps = { label: string; onClick: (() => void) | undefined; children: ReactNode }

/** Without `disabled`: it keeps the focus at the end of the list, and says why it does nothing. */
function CardButton({ label, onClick, children, ...tooltip }: CardButtonProps) {
  return (
    <ActionIcon
      {...tooltip}
      variant="subtle"
      color="gray"
      className={classes.above}
      data-disabled={onClick ? undefined : true}
      aria-disabled={onClick ? undefined : true}
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  )
}

/** Offers only the steps that fit here. */
function AddStep({ index, after }: { index: number; after: string }) {
  const { draft, disabled, add } = useEditing()
  const hasModel = hasLanguageModel(useProviders())
  // The service rejects an enrichment without a model.
  const types = insertableTypes(draft.nodes, index).filter((type) => type !== 'prompter' || hasModel)
  if (disabled || types.length === 0) return null
  return (
    <Menu position="bottom" width={280} withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" radius="xl" size={28} aria-label={texts.addAfter(after)}>
          <IconPlus size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => (
          <Menu.Item key={type} leftSection={<NodeIcon type={type} />} onClick={() => add(type, index)}>
            {workflowsTexts.nodes[type].name}
            <Text component="span" display="block" size="xs" c="dimmed">
              {workflowsTexts.nodes[type].about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const SIZE = 20
const icons = {
  partition: IconLayoutList,
  prompter: IconSparkles,
  chunk: IconPuzzle,
  embed: IconVector,
} satisfies Record<NodeType, unknown>

function NodeIcon({ type }: { type: NodeType }) {
  const Icon = icons[type]
  return <Icon size={SIZE} stroke={1.5} aria-hidden="true" />
}

function stepText(step: Step, connectors: Editing['connectors']): { title: string; subtitle: string } {
  if (step.node) {
    const subtype = subtypeOf(step.node)
    return { title: step.node.name, subtitle: workflowsTexts.node.short[subtype] ?? subtype }
  }
  const { name, type, isSandbox } = connectors[step.kind] ?? {}
  const kind = isSandbox ? sandboxTexts.badge : type?.title
  const subtitle = name === undefined ? texts.notChosen : kind ? `${name} · ${kind}` : name
  return { title: workflowsTexts.nodes[step.kind].name, subtitle }
}
