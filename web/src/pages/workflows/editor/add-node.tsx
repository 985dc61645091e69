import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { hasLanguageModel } from '../draft/node-subtypes.ts'
import { insertableTypes } from '../draft/order.ts'
import { useProviders } from '../queries.ts'
import { useEditing } from './editing.ts'
import { NodeIcon } from './step-display.tsx'

/** Offers only the nodes that fit here. */
export function AddNode({ index, after }: { index: number; after: string }) {
  const { draft, disabled, add } = useEditing()
  const hasModel = hasLanguageModel(useProviders())
  // The service rejects an enrichment without a model.
  const types = insertableTypes(draft.nodes, index).filter((type) => type !== 'prompter' || hasModel)
  if (disabled || types.length === 0) return null
  return (
    <Menu position="bottom" width={280} withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" radius="xl" size={28} aria-label={texts.editor.addAfter(after)}>
          <IconPlus size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => (
          <Menu.Item key={type} leftSection={<NodeIcon type={type} />} onClick={() => add(type, index)}>
            {texts.nodes[type].name}
            <Text component="span" display="block" size="xs" c="dimmed">
              {texts.nodes[type].about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
