import type { ReactNode } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ElementHead, ElementText } from '../../../components/element-list.tsx'
import { documentTexts } from '../../../texts/documents.ts'
import type { ContentElement } from '../types.ts'
import classes from './content.module.css'
import type { ItemProps } from './use-linked.ts'

const texts = documentTexts.content

type Props = {
  elements: ContentElement[]
  item: (index: number) => ItemProps
  action: (index: number) => ReactNode
}

/** What the workflow writes to the index. */
export function Elements({ elements, item, action }: Props) {
  return elements.map((element, index) => {
    const { 'data-active': isActive, ...props } = item(index)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: equal texts share an id; the list is fixed.
      <div key={index} className={classes.element} data-active={isActive} {...props}>
        <ElementHead
          element={element}
          aside={texts.position(index + 1, elements.length)}
          end={isActive ? <CopyButton text={element.element_id} what={texts.elementId} /> : null}
        />
        <ElementText element={element} />
        {action(index)}
      </div>
    )
  })
}
