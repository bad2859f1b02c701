(class_specifier name: (_) @name body: (_) @body) @definition.class
(struct_specifier name: (_) @name body: (_) @body) @definition.struct
(union_specifier name: (_) @name body: (_) @body) @definition.union
(enum_specifier name: (_) @name body: (_) @body) @definition.enum
((type_definition type: (struct_specifier body: (_) @body) . declarator: (type_identifier) @name) @definition.struct (#set! signature "{text} {name}"))
((type_definition type: (union_specifier body: (_) @body) . declarator: (type_identifier) @name) @definition.union (#set! signature "{text} {name}"))
((type_definition type: (enum_specifier body: (_) @body) . declarator: (type_identifier) @name) @definition.enum (#set! signature "{text} {name}"))
(type_definition declarator: (_) @name) @definition.type
(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.type
(enumerator name: (_) @name) @definition.case
(namespace_definition name: (_) @name body: (_) @body) @definition.module

; The definition is the declaration around the declarator.
((function_declarator declarator: (identifier) @name (#among? @name "main")) @definition.function (#set! entry "int main"))
(function_declarator declarator: [
  (identifier) (field_identifier) (qualified_identifier) (operator_name) (destructor_name) (type_identifier)] @name) @definition.function
(function_declarator declarator: [(template_function name: (_) @name) (template_method name: (_) @name)]) @definition.function
(operator_cast "operator" @name type: (_) @name) @definition.function

; A declarator is captured whole: its name is the innermost one.
(field_declaration declarator: (_) @name @part) @definition.field
((translation_unit (declaration declarator: (_) @name @part) @definition.variable) (#set! open ""))
((declaration_list (declaration declarator: (_) @name @part) @definition.variable) (#set! open ""))
((template_declaration (declaration declarator: (_) @name @part) @definition.variable) (#set! open ""))

(preproc_def name: (_) @name @head !value) @definition.switch
((preproc_def name: (_) @name @head value: (_)? @tail) @definition.macro (#seen? @tail "^.{0,60}$") (#set! signature "{text} {tail}"))
((preproc_def name: (_) @name @head) @definition.macro (#set! signature "{text} …"))
((preproc_function_def name: (_) @name parameters: (_) @head value: (_)? @tail) @definition.macro (#seen? @tail "^.{0,60}$") (#set! signature "{text} {tail}"))
((preproc_function_def name: (_) @name parameters: (_) @head) @definition.macro (#set! signature "{text} …"))

(field_declaration type: [(struct_specifier !name body: (_) @local) (union_specifier !name body: (_) @local)] declarator: (_))
(declaration type: [(struct_specifier !name body: (_) @local) (union_specifier !name body: (_) @local)] declarator: (_))
(field_declaration_list (access_specifier) @section)
(class_specifier body: (field_declaration_list "{" @section))
(namespace_definition !name body: (declaration_list "{" @section))
(translation_unit (_ (storage_class_specifier) @word @marked))
(declaration_list (_ (storage_class_specifier) @word @marked))
(translation_unit (template_declaration (_ (storage_class_specifier) @word @marked)))
(template_instantiation) @local
(preproc_include path: (_) @import)
