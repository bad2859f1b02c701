((attribute_item) @_mark . [(attribute_item) (line_comment) (block_comment)]* . (mod_item name: (_) @name body: (_) @local) @definition.module
  (#seen? @_mark "cfg\\(test\\)"))
(mod_item name: (_) @name body: (_) @body) @definition.module
(struct_item name: (_) @name body: (ordered_field_declaration_list)) @definition.struct @head
(struct_item name: (_) @name body: (_)? @body) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(union_item name: (_) @name body: (_) @body) @definition.union
(trait_item name: (_) @name body: (_) @body) @definition.trait
(impl_item trait: (_) @name type: (_) @owner) @definition.extension
(impl_item !trait type: (_) @name @owner) @definition.extension
((attribute_item) @_mark . [(attribute_item) (line_comment) (block_comment)]* . (function_item name: (_) @name) @definition.test
  (#seen? @_mark "^#\\[(?:\\w+::)*(?:test|rstest|test_case|bench)\\b"))
((function_item name: (_) @name) @definition.function (#among? @name "main") (#set! entry "fn main"))
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(const_item name: (_) @name (#among? @name "_")) @ignored
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.variable
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type
(field_declaration name: (_) @name) @definition.field
(enum_variant name: (_) @name) @definition.case @head
((attribute_item) @_mark . [(attribute_item) (line_comment) (block_comment)]* . (macro_definition name: (_) @name @public) @definition.macro
  (#seen? @_mark "macro_export") (#set! signature "macro_rules! {name}"))
((macro_definition name: (_) @name) @definition.macro (#set! signature "macro_rules! {name}"))

(enum_variant body: (field_declaration_list) @local)
(visibility_modifier) @shown
(attribute_item) @attribute
[(line_comment inner: (_)) (block_comment inner: (_))] @doc_inside
(source_file (use_declaration argument: (_) @import))
(mod_item name: (_) @_module body: (_ (use_declaration argument: (_) @import)) (#seen? @_module "^(?!.*test)"))
(extern_crate_declaration name: (_) @import)
((mod_item name: (_) @import !body) (#set! before "self::"))
