; Definitions are macro calls, so names decide; only the word of a definition makes it private.
(call target: (identifier) @_word (arguments . (alias) @name) (do_block)? @body
  (#among? @_word "defmodule")) @definition.module
(call target: (identifier) @_word (arguments . (alias) @name) (do_block)? @body
  (#among? @_word "defprotocol")) @definition.protocol
(call target: (identifier) @_word (arguments . (alias) @name) (do_block)? @body
  (#among? @_word "defimpl")) @definition.implementation

(call target: (identifier) @_word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    (binary_operator operator: _ @name)
    (unary_operator operator: _ @name)
    (binary_operator left: (binary_operator operator: _ @name) operator: "when")
    (call target: (call target: (identifier) @_unquote (arguments) @name))
  ] (keywords)? @body)
  (do_block)? @body
  (#not-among? @name "when")
  (#among? @_word "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @definition.function
(call target: (identifier) @_word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    (binary_operator operator: _ @name)
    (unary_operator operator: _ @name)
  ] (keywords)? @body)
  (do_block)? @body
  (#not-among? @name "when")
  (#among? @_word "defmacro" "defmacrop")) @definition.macro

(call target: (identifier) @name (#among? @name "defstruct" "defexception")) @definition.struct
(call target: (identifier) @_word (arguments . (atom) @name) (#among? @_word "defrecord" "defrecordp")) @definition.struct
(call target: (identifier) @_word (arguments . (string (quoted_content) @name)) (do_block)? @body
  (#among? @_word "test")) @definition.test
(call target: (identifier) @_word (arguments . (string (quoted_content) @name)) (do_block)? @body
  (#among? @_word "describe")) @definition.tests

(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))
  (#among? @_word "type" "typep" "opaque")) @definition.type
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments (binary_operator left: [
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))])))
  (#among? @_word "callback" "macrocallback")) @definition.callback

(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (string) @doc))
  (#among? @_word "doc" "typedoc")) @attribute
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (sigil) @doc))
  (#among? @_word "doc" "typedoc")) @attribute
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . [(string) (sigil)] @doc_inside))
  (#among? @_word "moduledoc"))
(unary_operator operator: "@" operand: (call target: (identifier) @_word)
  (#among? @_word "spec" "impl" "deprecated" "doc" "since" "dialyzer")) @attribute

(call target: (identifier) @_word (arguments . [(alias) (dot)] @import)
  (#among? @_word "alias" "import" "use" "require"))
