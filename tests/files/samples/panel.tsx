import type { FC } from "react";

export interface PanelProps { title: string }

export const Panel: FC<PanelProps> = ({ title }) => <section><h1>{title}</h1></section>;

const useThing = <T,>(value: T): T => value;
