(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(record_declaration name: (_) @name) @definition.record
((method_declaration (modifiers "static") name: (_) @name) @definition.method
  (#among? @name "main") (#set! entry "static void main"))
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(compact_constructor_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (_) @name) @part) @definition.constant
(field_declaration (modifiers "final" "static") declarator: (variable_declarator name: (_) @name) @part) @definition.constant
(field_declaration declarator: (variable_declarator name: (_) @name) @part) @definition.field
(constant_declaration declarator: (variable_declarator name: (_) @name) @part) @definition.constant
(enum_constant name: (_) @name) @definition.case

(static_initializer) @local
(class_body (block) @local)
(enum_constant (class_body) @local)
(modifiers "public" @shown)
(modifiers "private" @hidden)
((annotation) @annotation (#seen? @annotation "^@(?:Override|SuppressWarnings|SafeVarargs|Nullable|Nonnull|NonNull|NotNull|CanIgnoreReturnValue|Generated)\\b|.{61}"))
((marker_annotation) @annotation (#seen? @annotation "^@(?:Override|SafeVarargs|Nullable|Nonnull|NonNull|NotNull|CanIgnoreReturnValue|Generated)\\b|.{61}"))
(import_declaration) @import
