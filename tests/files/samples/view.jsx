import React, { useState } from 'react';
import './view.css';

/** Shows a list. */
export default function View({ items, onPick }) {
  const [open] = useState(false);
  return <ul>{items.map((i) => <li key={i}>{i}</li>)}</ul>;
}

export const Row = React.memo(({ item }) => <li>{item}</li>);
